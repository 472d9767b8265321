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
        RUNNABLE,
        ACTIVE,
        SUSPENDED,
        TERMINAL
    }

    /** Whether somebody holds it. */
    public enum Ownership {
        UNOWNED,
        GRANTED,
        LEASED
    }

    /** Whether it could be claimed. */
    public enum Eligibility {
        ELIGIBLE_NOW,
        NOT_ELIGIBLE_UNTIL_TIME,
        BLOCKED_BY_DEPENDENCIES,
        BLOCKED_BY_BUDGET,
        BLOCKED_BY_QUOTA,
        BLOCKED_BY_ROUTE,
        BLOCKED_BY_LANE_STATE,
        BLOCKED_BY_OPERATOR,
        NOT_APPLICABLE
    }

    /** What it waits for. */
    public enum BlockingReason {
        NONE,
        WAITING_FOR_WORKER,
        WAITING_FOR_RETRY_BACKOFF,
        WAITING_FOR_RESUME_DELAY,
        WAITING_FOR_DELAY,
        WAITING_FOR_SIGNAL,
        WAITING_FOR_APPROVAL,
        WAITING_FOR_CALLBACK,
        WAITING_FOR_TOOL_RESULT,
        WAITING_FOR_CHILDREN,
        WAITING_FOR_BUDGET,
        WAITING_FOR_QUOTA,
        WAITING_FOR_CAPABLE_WORKER,
        PAUSED_BY_OPERATOR,
        PAUSED_BY_POLICY
    }

    /** How it ended, if it has. */
    public enum TerminalOutcome {
        NONE,
        SUCCESS,
        FAILED,
        CANCELLED,
        EXPIRED,
        SKIPPED
    }

    /** How its current or coming attempt stands. */
    public enum AttemptState {
        NONE,
        PENDING_FIRST_ATTEMPT,
        RUNNING_ATTEMPT,
        ATTEMPT_INTERRUPTED,
        PENDING_RETRY_ATTEMPT,
        PENDING_REPLAY_ATTEMPT,
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
