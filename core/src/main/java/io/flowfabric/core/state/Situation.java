package io.flowfabric.core.state;

import static io.flowfabric.core.state.StateVector.AttemptState.ATTEMPT_INTERRUPTED;
import static io.flowfabric.core.state.StateVector.AttemptState.ATTEMPT_TERMINAL;
import static io.flowfabric.core.state.StateVector.AttemptState.PENDING_FIRST_ATTEMPT;
import static io.flowfabric.core.state.StateVector.AttemptState.PENDING_REPLAY_ATTEMPT;
import static io.flowfabric.core.state.StateVector.AttemptState.PENDING_RETRY_ATTEMPT;
import static io.flowfabric.core.state.StateVector.AttemptState.RUNNING_ATTEMPT;
import static io.flowfabric.core.state.StateVector.BlockingReason.PAUSED_BY_OPERATOR;
import static io.flowfabric.core.state.StateVector.BlockingReason.PAUSED_BY_POLICY;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_BUDGET;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_CAPABLE_WORKER;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_CHILDREN;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_DELAY;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_QUOTA;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_RESUME_DELAY;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_RETRY_BACKOFF;
import static io.flowfabric.core.state.StateVector.BlockingReason.WAITING_FOR_WORKER;
import static io.flowfabric.core.state.StateVector.Eligibility.BLOCKED_BY_BUDGET;
import static io.flowfabric.core.state.StateVector.Eligibility.BLOCKED_BY_DEPENDENCIES;
import static io.flowfabric.core.state.StateVector.Eligibility.BLOCKED_BY_LANE_STATE;
import static io.flowfabric.core.state.StateVector.Eligibility.BLOCKED_BY_OPERATOR;
import static io.flowfabric.core.state.StateVector.Eligibility.BLOCKED_BY_QUOTA;
import static io.flowfabric.core.state.StateVector.Eligibility.BLOCKED_BY_ROUTE;
import static io.flowfabric.core.state.StateVector.Eligibility.ELIGIBLE_NOW;
import static io.flowfabric.core.state.StateVector.Eligibility.NOT_APPLICABLE;
import static io.flowfabric.core.state.StateVector.Eligibility.NOT_ELIGIBLE_UNTIL_TIME;
import static io.flowfabric.core.state.StateVector.Ownership.LEASED;
import static io.flowfabric.core.state.StateVector.Ownership.UNOWNED;
import static io.flowfabric.core.state.StateVector.Phase.ACTIVE;
import static io.flowfabric.core.state.StateVector.Phase.RUNNABLE;
import static io.flowfabric.core.state.StateVector.Phase.TERMINAL;

import io.flowfabric.core.PublicState;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.StateVector.BlockingReason;
import io.flowfabric.core.state.StateVector.Eligibility;
import io.flowfabric.core.state.StateVector.Ownership;
import io.flowfabric.core.state.StateVector.Phase;
import io.flowfabric.core.state.StateVector.TerminalOutcome;

import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/**
 * The rows of the state table: every situation an execution can be in, with the six columns that
 * follow from it.
 *
 * <p>The reason of a suspension and the state of the attempt are the two columns that have a
 * choice; everything else is fixed by the situation. A combination that no row has cannot be built.
 */
public enum Situation {
    /** It is queued, and waits for a worker. */
    READY(RUNNABLE, UNOWNED, ELIGIBLE_NOW, WAITING_FOR_WORKER, Columns.PENDING),
    /** It waits for a moment that was asked for. */
    DELAYED(
            RUNNABLE,
            UNOWNED,
            NOT_ELIGIBLE_UNTIL_TIME,
            WAITING_FOR_DELAY,
            Set.of(PENDING_FIRST_ATTEMPT, ATTEMPT_INTERRUPTED)),
    /** It waits before its next retry. */
    BACKING_OFF(
            RUNNABLE,
            UNOWNED,
            NOT_ELIGIBLE_UNTIL_TIME,
            WAITING_FOR_RETRY_BACKOFF,
            Set.of(PENDING_RETRY_ATTEMPT)),
    /** It was resumed with a delay, and waits for that. */
    RESUMING_LATER(
            RUNNABLE,
            UNOWNED,
            NOT_ELIGIBLE_UNTIL_TIME,
            WAITING_FOR_RESUME_DELAY,
            Set.of(ATTEMPT_INTERRUPTED)),
    /** It waits for other executions to end. */
    AWAITING_CHILDREN(
            RUNNABLE,
            UNOWNED,
            BLOCKED_BY_DEPENDENCIES,
            WAITING_FOR_CHILDREN,
            Set.of(PENDING_FIRST_ATTEMPT, ATTEMPT_INTERRUPTED, PENDING_REPLAY_ATTEMPT)),
    /** An operator holds it back. */
    HELD_BY_OPERATOR(RUNNABLE, UNOWNED, BLOCKED_BY_OPERATOR, PAUSED_BY_OPERATOR, Columns.PENDING),
    /** A session has a ticket for it. */
    GRANTED(RUNNABLE, Ownership.GRANTED, ELIGIBLE_NOW, WAITING_FOR_WORKER, Columns.PENDING),
    /** A session has a lease of it. */
    RUNNING(ACTIVE, LEASED, NOT_APPLICABLE, BlockingReason.NONE, Set.of(RUNNING_ATTEMPT)),
    /** Its worker let go of it until a signal comes. */
    SUSPENDED(
            Phase.SUSPENDED,
            UNOWNED,
            NOT_APPLICABLE,
            SuspendedFor.reasons(),
            TerminalOutcome.NONE,
            Set.of(ATTEMPT_INTERRUPTED)),
    /** It ended with success. */
    COMPLETED(TerminalOutcome.SUCCESS, Set.of(ATTEMPT_TERMINAL)),
    /** It ended with a failure. */
    FAILED(TerminalOutcome.FAILED, Set.of(ATTEMPT_TERMINAL)),
    /** It was cancelled. */
    CANCELLED(TerminalOutcome.CANCELLED, Columns.ENDED_OR_UNSTARTED),
    /** Its deadline passed. */
    EXPIRED(TerminalOutcome.EXPIRED, Columns.ENDED_OR_UNSTARTED),
    /** It was not needed any more in its flow. */
    SKIPPED(TerminalOutcome.SKIPPED, Set.of(ATTEMPT_TERMINAL, AttemptState.NONE)),

    // How ready work reads through a gate that is shut. These are never stored: shutting a gate is
    // one
    // row, not fifty thousand.
    /** Ready work, while a budget has too little left. */
    SHORT_OF_BUDGET(RUNNABLE, UNOWNED, BLOCKED_BY_BUDGET, WAITING_FOR_BUDGET, Columns.PENDING),
    /** Ready work, while a quota is full. */
    OVER_QUOTA(RUNNABLE, UNOWNED, BLOCKED_BY_QUOTA, WAITING_FOR_QUOTA, Columns.PENDING),
    /** Ready work, while no live worker could take it. */
    WITHOUT_WORKER(
            RUNNABLE, UNOWNED, BLOCKED_BY_ROUTE, WAITING_FOR_CAPABLE_WORKER, Columns.PENDING),
    /** Ready work, while its lane gives nothing out. */
    LANE_CLOSED(RUNNABLE, UNOWNED, BLOCKED_BY_LANE_STATE, PAUSED_BY_POLICY, Columns.PENDING);

    private final Phase phase;
    private final Ownership ownership;
    private final Eligibility eligibility;
    private final Set<BlockingReason> reasons;
    private final TerminalOutcome outcome;
    private final Set<AttemptState> attempts;

    Situation(
            Phase phase,
            Ownership ownership,
            Eligibility eligibility,
            Set<BlockingReason> reasons,
            TerminalOutcome outcome,
            Set<AttemptState> attempts) {
        this.phase = phase;
        this.ownership = ownership;
        this.eligibility = eligibility;
        this.reasons = reasons;
        this.outcome = outcome;
        this.attempts = attempts;
    }

    Situation(
            Phase phase,
            Ownership ownership,
            Eligibility eligibility,
            BlockingReason reason,
            Set<AttemptState> attempts) {
        this(phase, ownership, eligibility, Set.of(reason), TerminalOutcome.NONE, attempts);
    }

    Situation(TerminalOutcome outcome, Set<AttemptState> attempts) {
        this(TERMINAL, UNOWNED, NOT_APPLICABLE, Set.of(BlockingReason.NONE), outcome, attempts);
    }

    /** The situation that a vector describes, if any has these columns. */
    public static Optional<Situation> of(
            Phase phase,
            Ownership ownership,
            Eligibility eligibility,
            BlockingReason reason,
            TerminalOutcome outcome,
            AttemptState attempt) {
        return Stream.of(values())
                .filter(row -> row.phase == phase && row.ownership == ownership)
                .filter(row -> row.eligibility == eligibility && row.reasons.contains(reason))
                .filter(row -> row.outcome == outcome && row.attempts.contains(attempt))
                .findFirst();
    }

    /** Whether this is only how ready work reads from outside, and never what a store writes. */
    public boolean onlySeen() {
        return switch (eligibility) {
            case BLOCKED_BY_BUDGET, BLOCKED_BY_QUOTA, BLOCKED_BY_ROUTE, BLOCKED_BY_LANE_STATE ->
                    true;
            case ELIGIBLE_NOW,
                    NOT_ELIGIBLE_UNTIL_TIME,
                    BLOCKED_BY_DEPENDENCIES,
                    BLOCKED_BY_OPERATOR,
                    NOT_APPLICABLE ->
                    false;
        };
    }

    /** Whether an execution in this situation has ended. */
    public boolean terminal() {
        return phase == TERMINAL;
    }

    /** Whether an execution in this situation has yet to be taken by a session. */
    public boolean queued() {
        return phase == RUNNABLE;
    }

    /** What an execution in this situation may be waiting for; a suspension has a choice. */
    public Set<BlockingReason> reasons() {
        return reasons;
    }

    /** The situation in one word. */
    public PublicState publicState() {
        return vector(attempts.iterator().next()).publicState();
    }

    /** The ways its attempt can stand in this situation. */
    Set<AttemptState> attempts() {
        return attempts;
    }

    /** The row with its one reason; a suspension has several and names its own. */
    StateVector vector(AttemptState attempt) {
        return vector(reasons.iterator().next(), attempt);
    }

    StateVector vector(BlockingReason reason, AttemptState attempt) {
        return new StateVector(phase, ownership, eligibility, reason, outcome, attempt);
    }

    /** Choices that several rows share. */
    private static final class Columns {
        static final Set<AttemptState> PENDING =
                Set.of(
                        PENDING_FIRST_ATTEMPT,
                        PENDING_RETRY_ATTEMPT,
                        PENDING_REPLAY_ATTEMPT,
                        ATTEMPT_INTERRUPTED);
        static final Set<AttemptState> ENDED_OR_UNSTARTED =
                Set.of(ATTEMPT_TERMINAL, PENDING_FIRST_ATTEMPT, PENDING_REPLAY_ATTEMPT);
    }
}
