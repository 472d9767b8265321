package io.flowfabric.core;

/** The store failed underneath the call: a lost connection, a full disk, a crash. */
public final class StoreFailure extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHaveApplied;
    private final boolean repeatable;

    /** Says what failed, and whether the call may have been done all the same. */
    public StoreFailure(String explanation, boolean mayHaveApplied, Throwable cause) {
        super(
                mayHaveApplied
                        ? explanation
                                + " The call may have been applied: repeat it unchanged, repeating"
                                + " is safe."
                        : explanation + " Nothing was applied: repeat it unchanged.",
                cause);
        this.mayHaveApplied = mayHaveApplied;
        this.repeatable = true;
    }

    private StoreFailure(String explanation, Throwable cause) {
        super(
                explanation
                        + " Nothing was applied, and repeating it unchanged cannot help: correct"
                        + " what it was given, or report a bug.",
                cause);
        this.mayHaveApplied = false;
        this.repeatable = false;
    }

    /** A call that the server will refuse again, because of what it was given. */
    public static StoreFailure refused(String explanation, Throwable cause) {
        return new StoreFailure(explanation, cause);
    }

    /** Whether the call may have taken effect although its answer was lost. */
    public boolean mayHaveApplied() {
        return mayHaveApplied;
    }

    @Override
    public Advice advice() {
        return repeatable ? Advice.REPEAT_LATER : Advice.CALL_AN_OPERATOR;
    }
}
