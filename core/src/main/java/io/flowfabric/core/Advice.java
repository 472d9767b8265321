package io.flowfabric.core;

/** What a caller should do about a {@link FlowFabricException}. */
public enum Advice {
    /** The same call will be refused again: change the request. */
    CHANGE_THE_REQUEST,
    /** Another session may own the work now: drop it, keep nothing, write nothing more. */
    STOP_WORKING,
    /** The same call may succeed later: repeat it unchanged. */
    REPEAT_LATER,
    /** The engine needs an operator before the same call can succeed. */
    CALL_AN_OPERATOR
}
