package io.flowfabric.core.state;

import io.flowfabric.core.state.StateVector.AttemptState;

/** What the next lease of an execution will be for. */
public enum LeasePurpose {
    /** The first try. */
    FIRST(AttemptState.PENDING_FIRST_ATTEMPT),
    /** Another try, after one that failed. */
    RETRY(AttemptState.PENDING_RETRY_ATTEMPT),
    /** Another try, after an operator reopened what had ended. */
    REPLAY(AttemptState.PENDING_REPLAY_ATTEMPT),
    /** The same try, after its worker let go of it in good order. */
    CONTINUE(AttemptState.ATTEMPT_INTERRUPTED),
    /** The same try, after its lease lapsed or was taken away. */
    RECLAIM(AttemptState.ATTEMPT_INTERRUPTED);

    private final AttemptState attempt;

    LeasePurpose(AttemptState attempt) {
        this.attempt = attempt;
    }

    AttemptState attempt() {
        return attempt;
    }

    /** Whether the next lease begins a new attempt, instead of going on with the old one. */
    public boolean startsAttempt() {
        return switch (this) {
            case FIRST, RETRY, REPLAY -> true;
            case CONTINUE, RECLAIM -> false;
        };
    }

    /**
     * Whether the work has been begun before; begun work goes before fresh work of the same
     * priority.
     */
    public boolean begun() {
        return this != FIRST;
    }

    /**
     * The transition by which a worker takes it: taking over a lapsed lease has a name of its own.
     */
    public Transition claim() {
        return this == RECLAIM ? Transition.RECLAIM : Transition.CLAIM;
    }

    /** The transition by which a worker takes it that had a grant for it. */
    public Transition redeem() {
        return this == RECLAIM ? Transition.RECLAIM : Transition.REDEEM;
    }
}
