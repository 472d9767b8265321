package io.flowfabric.core;

/**
 * The engine cannot serve now, and surely did nothing: it is closed, or something it needs is
 * missing.
 */
public final class Unavailable extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** Says what is not available, and what to do. */
    public Unavailable(String explanation) {
        super(explanation);
    }

    @Override
    public Advice advice() {
        return Advice.CALL_AN_OPERATOR;
    }
}
