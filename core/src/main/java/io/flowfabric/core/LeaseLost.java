package io.flowfabric.core;

/**
 * The presented fence no longer allows writing: the work was finished, taken away, or leased again
 * since.
 *
 * <p>It carries the authoritative state, so that a worker can tell its own earlier success from
 * being superseded.
 */
public final class LeaseLost extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    private final Fence presented;
    private final int attempts;
    private final long epoch;
    private final PublicState state;

    /**
     * @param attempts how many attempts have been started by now
     * @param epoch the newest lease ever given
     * @param state what the execution is now
     */
    public LeaseLost(Fence presented, int attempts, long epoch, PublicState state) {
        super(
                "The lease %s is gone: the execution is %s at epoch %d, attempt %d. Drop the work; another worker may have it."
                        .formatted(presented, state.wire(), epoch, Math.max(0, attempts - 1)));
        this.presented = presented;
        this.attempts = attempts;
        this.epoch = epoch;
        this.state = state;
    }

    /** The fence that the caller wrote with. */
    public Fence presented() {
        return presented;
    }

    /** How many attempts were started by now. */
    public int attempts() {
        return attempts;
    }

    /** The newest epoch by now. */
    public long epoch() {
        return epoch;
    }

    /** What the execution is by now. */
    public PublicState state() {
        return state;
    }

    @Override
    public Advice advice() {
        return Advice.STOP_WORKING;
    }
}
