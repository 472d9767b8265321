package io.flowfabric.core;

import java.util.Locale;

/** The request itself is wrong, whatever the state of the store; nothing was stored. */
public final class Invalid extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** Why a value was refused; the lower-case name is the stable code on every wire. */
    public enum Code {
        EMPTY,
        TOO_LONG,
        TOO_LARGE,
        TOO_MANY,
        OUT_OF_RANGE,
        /** Two parts of the request exclude each other. */
        CONTRADICTORY,
        NOT_PRINTABLE,
        MALFORMED_ID,
        MALFORMED_FENCE,
        MALFORMED_CURSOR,
        CURSOR_EXPIRED,
        CURSOR_RESTORED,
        MALFORMED_TAG_KEY,
        MALFORMED_CAPABILITY,
        /** A worker offered a comparison, which only work can need. */
        COMPARISON_OFFERED,
        MALFORMED_VECTOR,
        IMPOSSIBLE_STATE,
        CLAIM_NUMBER_USED,
        /** A connection that was to have a transaction commits every statement by itself. */
        AUTOCOMMIT,
        /** A connection leads to another database than that of the store. */
        OTHER_DATABASE,
        /** A transaction can only be rolled back, because a statement of it has failed. */
        TRANSACTION_FAILED,
        /** A transaction may not write. */
        TRANSACTION_READ_ONLY,
        /** A connection is closed, and the transaction that was on it is over. */
        CONNECTION_CLOSED;

        /** The code as it travels: {@code malformed_id}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;
    private final String field;

    public Invalid(Code code, String field, String explanation) {
        super("%s: %s".formatted(field, explanation));
        this.code = code;
        this.field = field;
    }

    /** The stable reason. */
    public Code code() {
        return code;
    }

    /** Which part of the request is wrong. */
    public String field() {
        return field;
    }

    @Override
    public Advice advice() {
        return Advice.CHANGE_THE_REQUEST;
    }
}
