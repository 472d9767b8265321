package io.flowfabric.core.state;

/** What holds an execution back, other than time. */
public enum BlockedBy {
    /** Other members of its flow, or children it waits for. */
    DEPENDENCIES(Situation.AWAITING_CHILDREN),
    /** A budget that is spent. */
    BUDGET(Situation.SHORT_OF_BUDGET),
    /** A quota that is full. */
    QUOTA(Situation.OVER_QUOTA),
    /** No live worker has what it needs. */
    ROUTE(Situation.WITHOUT_WORKER),
    /** An operator paused it. */
    OPERATOR(Situation.HELD_BY_OPERATOR),
    /** Its lane is paused or disabled. */
    LANE(Situation.LANE_CLOSED);

    private final Situation situation;

    BlockedBy(Situation situation) {
        this.situation = situation;
    }

    /** The situation of what is held back by it. */
    public Situation situation() {
        return situation;
    }
}
