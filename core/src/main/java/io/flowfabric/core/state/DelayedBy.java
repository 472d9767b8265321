package io.flowfabric.core.state;

/** Who set the time before which an execution does not run. */
public enum DelayedBy {
    /** The submission, or the worker that let go of it. */
    REQUEST(Situation.DELAYED),
    /** The retry policy. */
    BACKOFF(Situation.BACKING_OFF),
    /** The signal or operator that resumed it with a delay. */
    RESUMPTION(Situation.RESUMING_LATER);

    private final Situation situation;

    DelayedBy(Situation situation) {
        this.situation = situation;
    }

    /** The situation of what is delayed by it. */
    public Situation situation() {
        return situation;
    }
}
