package io.flowfabric.core.state;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.PublicState;

import java.util.List;
import java.util.Locale;

/**
 * The state in six columns, as SQL stores it and as wires and the original's vocabulary show it.
 *
 * <p>A projection of {@link ExecutionState}: of all combinations only the rows of {@link Situation}
 * can be built. Written as six words joined by slashes.
 */
public record StateVector(
        Phase phase,
        Ownership ownership,
        Eligibility eligibility,
        BlockingReason reason,
        TerminalOutcome outcome,
        AttemptState attempt) {

    /** Where in its life the execution is. */
    public enum Phase {
        /** It waits to run. */
        RUNNABLE,
        /** A worker runs it. */
        ACTIVE,
        /** It waits for a signal. */
        SUSPENDED,
        /** It has ended. */
        TERMINAL
    }

    /** Whether a session holds it. */
    public enum Ownership {
        /** No session holds it. */
        UNOWNED,
        /** A session has a ticket for it. */
        GRANTED,
        /** A session has a lease of it. */
        LEASED
    }

    /** Whether it could be claimed. */
    public enum Eligibility {
        /** A claim can take it. */
        ELIGIBLE_NOW,
        /** A claim can take it from a moment on. */
        NOT_ELIGIBLE_UNTIL_TIME,
        /** Other executions must end first. */
        BLOCKED_BY_DEPENDENCIES,
        /** A budget has too little left. */
        BLOCKED_BY_BUDGET,
        /** A quota is full. */
        BLOCKED_BY_QUOTA,
        /** No live worker could take it. */
        BLOCKED_BY_ROUTE,
        /** Its lane gives nothing out. */
        BLOCKED_BY_LANE_STATE,
        /** An operator holds it back. */
        BLOCKED_BY_OPERATOR,
        /** It does not wait in a queue. */
        NOT_APPLICABLE
    }

    /** What it waits for. */
    public enum BlockingReason {
        /** Nothing. */
        NONE,
        /** A worker that is free. */
        WAITING_FOR_WORKER,
        /** The wait before its next retry. */
        WAITING_FOR_RETRY_BACKOFF,
        /** The delay with which it was resumed. */
        WAITING_FOR_RESUME_DELAY,
        /** The moment that was asked for. */
        WAITING_FOR_DELAY,
        /** A signal. */
        WAITING_FOR_SIGNAL,
        /** An approval. */
        WAITING_FOR_APPROVAL,
        /** A callback of an outside system. */
        WAITING_FOR_CALLBACK,
        /** The result of a tool. */
        WAITING_FOR_TOOL_RESULT,
        /** Other executions. */
        WAITING_FOR_CHILDREN,
        /** A budget. */
        WAITING_FOR_BUDGET,
        /** A quota. */
        WAITING_FOR_QUOTA,
        /** A worker that could take it. */
        WAITING_FOR_CAPABLE_WORKER,
        /** An operator. */
        PAUSED_BY_OPERATOR,
        /** A rule, such as the state of its lane. */
        PAUSED_BY_POLICY
    }

    /** How it ended, if it has. */
    public enum TerminalOutcome {
        /** It has not ended. */
        NONE,
        /** It was completed. */
        SUCCESS,
        /** It failed. */
        FAILED,
        /** It was cancelled. */
        CANCELLED,
        /** Its deadline passed. */
        EXPIRED,
        /** It was not needed any more. */
        SKIPPED
    }

    /** How its current or coming attempt stands. */
    public enum AttemptState {
        /** There was no attempt, and there will be none. */
        NONE,
        /** The first attempt has not begun. */
        PENDING_FIRST_ATTEMPT,
        /** An attempt runs. */
        RUNNING_ATTEMPT,
        /** An attempt has begun, and is to go on. */
        ATTEMPT_INTERRUPTED,
        /** A retry has not begun. */
        PENDING_RETRY_ATTEMPT,
        /** A replay has not begun. */
        PENDING_REPLAY_ATTEMPT,
        /** The last attempt is over. */
        ATTEMPT_TERMINAL
    }

    /**
     * @throws Invalid when no row of the state table has these columns
     */
    public StateVector {
        if (Situation.of(phase, ownership, eligibility, reason, outcome, attempt).isEmpty()) {
            throw new Invalid(
                    Invalid.Code.IMPOSSIBLE_STATE,
                    "state vector",
                    "No execution can be %s, %s, %s, %s, %s, %s at once."
                            .formatted(phase, ownership, eligibility, reason, outcome, attempt));
        }
    }

    /**
     * Reads the written form.
     *
     * @throws Invalid when it is not six known words, or no row of the state table has them
     */
    public static StateVector parse(String text) {
        var words = text.split("/", -1);
        if (words.length != 6) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_VECTOR,
                    "state vector",
                    "It must be six words joined by slashes.");
        }
        return new StateVector(
                word(Phase.class, words[0]),
                word(Ownership.class, words[1]),
                word(Eligibility.class, words[2]),
                word(BlockingReason.class, words[3]),
                word(TerminalOutcome.class, words[4]),
                word(AttemptState.class, words[5]));
    }

    /** The row of the state table that this is. */
    public Situation situation() {
        return Situation.of(phase, ownership, eligibility, reason, outcome, attempt).orElseThrow();
    }

    /** The state in one word. */
    public PublicState publicState() {
        return switch (phase) {
            case TERMINAL ->
                    switch (outcome) {
                        case SUCCESS -> PublicState.COMPLETED;
                        case CANCELLED -> PublicState.CANCELLED;
                        case EXPIRED -> PublicState.EXPIRED;
                        case SKIPPED -> PublicState.SKIPPED;
                        case FAILED, NONE -> PublicState.FAILED;
                    };
            case SUSPENDED -> PublicState.SUSPENDED;
            case ACTIVE -> PublicState.ACTIVE;
            case RUNNABLE ->
                    switch (eligibility) {
                        case NOT_ELIGIBLE_UNTIL_TIME -> PublicState.DELAYED;
                        case BLOCKED_BY_DEPENDENCIES -> PublicState.WAITING_CHILDREN;
                        case BLOCKED_BY_BUDGET, BLOCKED_BY_QUOTA -> PublicState.RATE_LIMITED;
                        case ELIGIBLE_NOW,
                                BLOCKED_BY_ROUTE,
                                BLOCKED_BY_LANE_STATE,
                                BLOCKED_BY_OPERATOR,
                                NOT_APPLICABLE ->
                                PublicState.WAITING;
                    };
        };
    }

    @Override
    public String toString() {
        return String.join(
                "/",
                List.of(
                        wire(phase),
                        wire(ownership),
                        wire(eligibility),
                        wire(reason),
                        wire(outcome),
                        wire(attempt)));
    }

    private static String wire(Enum<?> value) {
        return value.name().toLowerCase(Locale.ROOT);
    }

    private static <E extends Enum<E>> E word(Class<E> column, String word) {
        for (E value : column.getEnumConstants()) {
            if (wire(value).equals(word)) {
                return value;
            }
        }
        throw new Invalid(
                Invalid.Code.MALFORMED_VECTOR,
                "state vector",
                "There is no %s of that name.".formatted(column.getSimpleName()));
    }
}
