package io.flowfabric.core;

import java.util.Locale;

/**
 * This is not allowed: a setting forbids it, or the token does that was shown for it. Nothing was
 * changed.
 */
public final class Denied extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** What forbids it; the lower-case name is the stable code on every wire. */
    public enum Code {
        /** The lane takes no new work. */
        LANE_CLOSED,
        /** What was shown is no token. */
        MALFORMED_TOKEN,
        /** The key that the token names is not there, or not believed any more. */
        UNKNOWN_KEY,
        /** The key that the token names did not seal what it says. */
        BAD_SIGNATURE,
        /** The time of the token is over. */
        TOKEN_EXPIRED,
        /**
         * The token is genuine, and there is no such grant for the session that shows it, or no
         * longer.
         */
        UNKNOWN_GRANT,
        /** The token is genuine, and its waitpoint is closed, or its execution has ended. */
        WAITPOINT_CLOSED;

        /** The code as it travels: {@code lane_closed}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;

    /** Says why it is denied, for programs and for people. */
    public Denied(Code code, String explanation) {
        super(explanation);
        this.code = code;
    }

    /** The stable reason. */
    public Code code() {
        return code;
    }

    @Override
    public Advice advice() {
        return switch (code) {
            case LANE_CLOSED -> Advice.CALL_AN_OPERATOR;
            case MALFORMED_TOKEN,
                    UNKNOWN_KEY,
                    BAD_SIGNATURE,
                    TOKEN_EXPIRED,
                    UNKNOWN_GRANT,
                    WAITPOINT_CLOSED ->
                    Advice.CHANGE_THE_REQUEST;
        };
    }
}
