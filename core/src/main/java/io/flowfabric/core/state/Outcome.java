package io.flowfabric.core.state;

import io.flowfabric.core.state.StateVector.AttemptState;

import java.util.Locale;

/** How an execution ended. */
public enum Outcome {
    /** It was completed, and may have a result. */
    SUCCESS(Situation.COMPLETED),
    /** It failed, and there was no retry left. */
    FAILED(Situation.FAILED),
    /** It was cancelled by an operator, its worker or a breached budget. */
    CANCELLED(Situation.CANCELLED),
    /** Its deadline passed. */
    EXPIRED(Situation.EXPIRED),
    /** It was not needed any more in its flow. */
    SKIPPED(Situation.SKIPPED);

    private final Situation situation;

    Outcome(Situation situation) {
        this.situation = situation;
    }

    /** The situation of an execution that ended this way. */
    public Situation situation() {
        return situation;
    }

    /** The outcome as it travels: {@code success}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * The attempt column of an execution that ends this way.
     *
     * @param started whether any attempt was ever started
     * @param before the attempt column of the state that it leaves
     */
    public AttemptState attemptAtTheEnd(boolean started, AttemptState before) {
        return switch (this) {
            case SUCCESS, FAILED -> AttemptState.ATTEMPT_TERMINAL;
            case CANCELLED, EXPIRED -> started ? AttemptState.ATTEMPT_TERMINAL : before;
            case SKIPPED -> started ? AttemptState.ATTEMPT_TERMINAL : AttemptState.NONE;
        };
    }
}
