package io.flowfabric.core.flow;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Tags;

import java.time.Instant;
import java.util.Optional;

/**
 * A flow as it is, without its members.
 *
 * @param parent the execution that may await it, if one may
 * @param revision what a change of its graph has to name
 * @param open whether members may still be added from outside
 * @param tally how its members stand
 * @param cancelled that it was cancelled; it may still have members that have not ended
 * @param settled whether everything is done that follows from what has happened so far
 */
public record FlowView(
        FlowId id,
        Namespace namespace,
        String kind,
        Tags tags,
        String creator,
        FlowPolicy policy,
        Optional<ExecutionId> parent,
        FlowState state,
        long revision,
        boolean open,
        MemberTally tally,
        Optional<FlowCancellation> cancelled,
        boolean settled,
        Instant submitted,
        Optional<Instant> ended) {
    /** What is shown of what is kept of a flow. */
    public static FlowView of(FlowRecord flow) {
        return new FlowView(
                flow.id(),
                flow.namespace(),
                flow.kind(),
                flow.tags(),
                flow.creator(),
                flow.policy(),
                flow.parent(),
                flow.state(),
                flow.revision(),
                flow.open(),
                flow.tally(),
                flow.cancelled(),
                !flow.unsettled(),
                flow.submitted(),
                flow.endedAt());
    }
}
