package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.FlowRecord;

import java.time.Instant;
import java.util.Optional;

/** What is told of flows as a whole. */
public final class FlowNews {
    private FlowNews() {}

    /** That something happened to a flow. */
    public static Event.FlowChange of(
            FlowRecord flow, FlowStep step, Optional<Attribution> by, Instant now) {
        return new Event.FlowChange(
                flow.id(), flow.namespace(), flow.kind(), step, flow.state(), by, now);
    }

    /** That a flow has ended, if it did so just now. */
    public static Optional<Event.FlowChange> ended(
            FlowRecord before, FlowRecord after, Instant now) {
        return after.state().ended() && !before.state().ended()
                ? Optional.of(of(after, FlowStep.ENDED, Optional.empty(), now))
                : Optional.empty();
    }
}
