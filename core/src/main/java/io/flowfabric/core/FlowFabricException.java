package io.flowfabric.core;

/**
 * Everything that FlowFabric refuses or cannot do, one subclass for each situation a caller can act
 * on.
 *
 * <p>An idempotent repeat is a normal result and never one of these. What to do next is {@link
 * #advice()}, defined once, here and in the subclasses, so that no caller keeps a table of its own.
 */
public abstract sealed class FlowFabricException extends RuntimeException
        permits NotFound,
                Invalid,
                LeaseLost,
                Conflict,
                Contended,
                Denied,
                Unavailable,
                StoreFailure {
    private static final long serialVersionUID = 1L;

    FlowFabricException(String message) {
        super(message);
    }

    FlowFabricException(String message, Throwable cause) {
        super(message, cause);
    }

    /** What the caller should do about it. */
    public abstract Advice advice();

    /**
     * Whether the store has answered the call, so that it would be answered the same again. All
     * else is a fault: of the store for now, or one that an operator has to mend.
     */
    public final boolean isAnswer() {
        return switch (advice()) {
            case CHANGE_THE_REQUEST, STOP_WORKING -> true;
            case REPEAT_LATER, CALL_AN_OPERATOR -> false;
        };
    }

    /**
     * Whether a call failed because of what it was given, and not because the store cannot be used
     * now. What was not foreseen concerns the request, too: then one bad item of a batch can be
     * told from the good ones by splitting it.
     */
    public static boolean concernsRequest(Throwable failure) {
        return switch (failure) {
            case Unavailable closed -> false;
            case FlowFabricException known -> known.advice() != Advice.REPEAT_LATER;
            default -> true;
        };
    }
}
