package io.flowfabric.core;

/** The store failed underneath the call: a lost connection, a full disk, a crash. */
public final class StoreFailure extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** Why a call failed, which decides about the advice. */
    private enum Reason {
        /** The store cannot be used now, or its answer was lost. */
        AWAY,
        /** The store will not take what the call was given. */
        REFUSED,
        /** What is stored cannot be read by this program. */
        UNREADABLE
    }

    private final boolean mayHaveApplied;
    private final Reason reason;

    /** Says what failed, and whether the call may have been done all the same. */
    public StoreFailure(String explanation, boolean mayHaveApplied, Throwable cause) {
        this(
                mayHaveApplied
                        ? explanation
                                + " The call may have been applied: repeat it unchanged, repeating"
                                + " is safe."
                        : explanation + " Nothing was applied: repeat it unchanged.",
                mayHaveApplied,
                Reason.AWAY,
                cause);
    }

    private StoreFailure(String message, boolean mayHaveApplied, Reason reason, Throwable cause) {
        super(message, cause);
        this.mayHaveApplied = mayHaveApplied;
        this.reason = reason;
    }

    /** A call that the server will refuse again, because of what it was given. */
    public static StoreFailure refused(String explanation, Throwable cause) {
        return new StoreFailure(
                explanation
                        + " Nothing was applied, and repeating it unchanged cannot help: correct"
                        + " what it was given, or report a bug.",
                false,
                Reason.REFUSED,
                cause);
    }

    /**
     * A call about something that is stored and cannot be read by this program.
     *
     * @param what what it is, at the beginning of a sentence
     */
    public static StoreFailure unreadable(String what, Throwable cause) {
        return new StoreFailure(
                what
                        + " cannot be read by this program: a newer one wrote it, or what is stored"
                        + " of it is damaged. Nothing was applied: ask a newer program, or let an"
                        + " operator mend what is stored.",
                false,
                Reason.UNREADABLE,
                cause);
    }

    /** Whether the call may have taken effect although its answer was lost. */
    public boolean mayHaveApplied() {
        return mayHaveApplied;
    }

    /** Whether the call is about something that this program cannot read. */
    public boolean isUnreadable() {
        return reason == Reason.UNREADABLE;
    }

    @Override
    public Advice advice() {
        return switch (reason) {
            case AWAY -> Advice.REPEAT_LATER;
            case REFUSED, UNREADABLE -> Advice.CALL_AN_OPERATOR;
        };
    }
}
