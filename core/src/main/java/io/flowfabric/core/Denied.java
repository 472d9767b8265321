package io.flowfabric.core;

import java.util.Locale;

/** A setting that somebody made forbids this; nothing was changed. */
public final class Denied extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** Which setting; the lower-case name is the stable code on every wire. */
    public enum Code {
        /** The lane takes no new work. */
        LANE_CLOSED;

        /** The code as it travels: {@code lane_closed}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;

    public Denied(Code code, String explanation) {
        super(explanation);
        this.code = code;
    }

    public Code code() {
        return code;
    }

    @Override
    public Advice advice() {
        return Advice.CALL_AN_OPERATOR;
    }
}
