package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;

/**
 * How executions wait for flows below them. It is decided under the lock of the flow, so that none
 * waits for what has ended, and none is forgotten.
 *
 * <p>What an execution waits for is written in the words of its state, and read from there: the
 * state of a member that waits for others has other words.
 */
public final class FlowAwaiting {
    private static final String WAITS = "waits for the flow ";

    private FlowAwaiting() {}

    /**
     * The step of an execution that gives up its lease until a flow has ended.
     *
     * @param namespace of the execution
     * @throws Invalid when the flow is not one below it, or is in another namespace
     */
    public static Change await(Facts facts, Namespace namespace, FlowRecord flow) {
        if (!flow.parent().filter(facts.id()::equals).isPresent()) {
            throw contradictory(
                    "%s is not below %s, which can await only its own flows: submit it with"
                                    .formatted(flow.id(), facts.id())
                            + " FlowSubmission.below(execution, name).");
        }
        if (!flow.namespace().equals(namespace)) {
            throw contradictory(
                    "%s is in the namespace %s, and %s in %s: submit it with"
                                    .formatted(flow.id(), flow.namespace(), facts.id(), namespace)
                            + " FlowSubmission.of(namespace, kind).");
        }
        var goesOn = new Ready(LeasePurpose.CONTINUE);
        return Change.of(
                facts,
                Transition.AWAIT,
                flow.state().ended()
                        ? goesOn
                        : new Blocked(BlockedBy.DEPENDENCIES, WAITS + flow.id(), goesOn));
    }

    private static Invalid contradictory(String explanation) {
        return new Invalid(Invalid.Code.CONTRADICTORY, "flow", explanation);
    }

    /** The flow that an execution waits for, if it waits for one. */
    public static Optional<FlowId> awaited(ExecutionState state) {
        return state instanceof Blocked blocked
                        && blocked.by() == BlockedBy.DEPENDENCIES
                        && blocked.detail().startsWith(WAITS)
                ? Optional.of(FlowId.parse(blocked.detail().substring(WAITS.length())))
                : Optional.empty();
    }

    /** The step of an execution whose flow has ended, if it waits for that one. */
    static Optional<Change> goOn(Facts parent, FlowId flow, Instant now) {
        return awaited(parent.state())
                .filter(flow::equals)
                .map(
                        waited ->
                                Change.of(
                                        parent,
                                        Transition.SATISFY,
                                        ((Blocked) parent.state()).behind().unlessDue(now)));
    }

    /** A flow, cancelled because the execution that awaited it has ended; none if it has ended. */
    public static Optional<FlowRecord> abandoned(FlowRecord flow, Instant now) {
        return flow.state().ended()
                ? Optional.empty()
                : FlowChanges.cancel(
                        flow,
                        FlowCancellation.Mode.ALL,
                        Attribution.engine("the execution that awaited it has ended"),
                        now);
    }
}
