package io.flowfabric.core;

/** The store failed underneath the call: a lost connection, a full disk, a crash. */
public final class StoreFailure extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    private final boolean mayHaveApplied;

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
    }

    /** Whether the call may have taken effect although its answer was lost. */
    public boolean mayHaveApplied() {
        return mayHaveApplied;
    }

    @Override
    public Advice advice() {
        return Advice.REPEAT_LATER;
    }
}
