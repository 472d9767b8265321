package io.flowfabric.core;

import java.util.Locale;

/** The request itself is wrong, whatever the state of the store; nothing was stored. */
public final class Invalid extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** Why a value was refused; the lower-case name is the stable code on every wire. */
    public enum Code {
        /** A value that must not be empty is. */
        EMPTY,
        /** A text is longer than its limit. */
        TOO_LONG,
        /** A payload has more bytes than its limit. */
        TOO_LARGE,
        /** A collection has more items than its limit. */
        TOO_MANY,
        /** A number, a duration or a moment is outside of its range. */
        OUT_OF_RANGE,
        /** Two parts of the request exclude each other. */
        CONTRADICTORY,
        /** A text has characters that cannot be printed. */
        NOT_PRINTABLE,
        /** An id is not written as one. */
        MALFORMED_ID,
        /** A name is not written as names of its kind are. */
        MALFORMED_NAME,
        /** A name is kept for the engine. */
        RESERVED,
        /** A URL does not lead to a store. */
        MALFORMED_URL,
        /** A value cannot be written as bytes, or bytes cannot be read as that value. */
        MALFORMED_PAYLOAD,
        /** A fence is not written as one. */
        MALFORMED_FENCE,
        /** A cursor was not given out here. */
        MALFORMED_CURSOR,
        /** A cron expression cannot be read. */
        MALFORMED_CRON,
        /** A merge patch of a summary is no JSON object. */
        MALFORMED_PATCH,
        /** What came after a cursor is no longer kept. */
        CURSOR_EXPIRED,
        /** The log was restored from a copy after the cursor was given out. */
        CURSOR_RESTORED,
        /** A key of a tag breaks the rules of keys. */
        MALFORMED_TAG_KEY,
        /** A capability is neither a word, nor an attribute, nor a comparison. */
        MALFORMED_CAPABILITY,
        /** A worker offered a comparison, which only work can need. */
        COMPARISON_OFFERED,
        /** A state vector is not six known words. */
        MALFORMED_VECTOR,
        /** No execution can be that, or go there from where it is. */
        IMPOSSIBLE_STATE,
        /** A condition can never be met, is met already, or is too deep. */
        IMPOSSIBLE_CONDITION,
        /** Members of a flow wait for each other. */
        CYCLE,
        /** An edge of a flow names a member that the flow does not have. */
        UNKNOWN_MEMBER,
        /** Two members of a flow have one name, or two edges connect the same members. */
        DUPLICATE,
        /** A member of a flow needs more of those before it than there are. */
        IMPOSSIBLE_QUORUM,
        /** A claim came under a number whose answer was acknowledged. */
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

    /** Says which part of the request is wrong, why, and what to do. */
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
