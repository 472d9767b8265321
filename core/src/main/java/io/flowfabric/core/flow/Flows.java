package io.flowfabric.core.flow;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Graphs of executions: submitting, extending, cancelling and reading them. */
public interface Flows {
    /**
     * An accepted flow.
     *
     * @param created whether this call created it, or found it
     */
    record SubmittedFlow(FlowId id, boolean created) {}

    /**
     * Accepts graphs, each as a whole: all members are stored in one commit, those that need
     * nothing ready or delayed, the others waiting for those before them.
     *
     * <p>The same flow again is the same flow. Refusals, with nothing stored: {@code Invalid} for a
     * graph that has a cycle, names what it does not have, or can never be done; {@code Conflict}
     * when the id of the flow or of a member is taken by other content; whatever would refuse one
     * of its members.
     */
    List<Answer<SubmittedFlow>> submit(List<FlowSubmission> flows);

    /** Accepts one graph, or throws why not. */
    default SubmittedFlow submit(FlowSubmission flow) {
        return submit(List.of(flow)).getFirst().orThrow();
    }

    /**
     * Adds to graphs, each change as a whole. What has ended counts for new edges as if they had
     * been there before.
     *
     * <p>The same change again gets the first answer. Refusals: {@code NotFound}; {@code Conflict}
     * when the flow was changed since the revision that the change names, has ended, or is closed
     * and the change is not made by a member that runs, or when something is to come before what
     * has begun; {@code LeaseLost} when it is made under a lease that does not hold; whatever
     * {@link #submit} refuses.
     */
    List<Answer<FlowView>> extend(List<FlowExtension> changes);

    /**
     * Cancels flows, each by itself. The calling process goes on until all members are cancelled
     * that the mode is about; if it dies over it, another one does.
     *
     * <p>Asking again is success, and a mode that ends more members than the one before ends those.
     * Refusals: {@code NotFound}; {@code Conflict} when it has ended otherwise.
     */
    List<Answer<FlowView>> cancel(List<FlowId> flows, FlowCancellation.Mode mode, Attribution by);

    /** Flows as they are. Refusal: {@code NotFound}. */
    List<Answer<FlowView>> describe(List<FlowId> flows);

    /** What flows were given. Refusal: {@code NotFound}. */
    List<Answer<Payload>> inputs(List<FlowId> flows);

    /** The members of a flow, in the order in which they were added. Refusal: {@code NotFound}. */
    Page<MemberView> members(FlowId flow, Cursor after, int max);

    /**
     * The edges of a flow, in the order of the members they lead from. Refusal: {@code NotFound}.
     */
    Page<Edge> edges(FlowId flow, Cursor after, int max);

    /** Flows of a namespace, in the order of submission, the newest first. */
    Page<FlowView> list(FlowFilter filter, Cursor after, int max);

    /**
     * Which flows are listed.
     *
     * @param states any of these; none means all
     */
    record FlowFilter(Namespace namespace, Set<FlowState> states, Optional<String> kind) {
        public FlowFilter {
            states = Set.copyOf(states);
        }

        /** All flows of a namespace. */
        public static FlowFilter of(Namespace namespace) {
            return new FlowFilter(namespace, Set.of(), Optional.empty());
        }

        /** Whether a flow fits. */
        public boolean fits(FlowView flow) {
            return flow.namespace().equals(namespace)
                    && (states.isEmpty() || states.contains(flow.state()))
                    && kind.map(flow.kind()::equals).orElse(true);
        }

        /** Only flows in these states. */
        public FlowFilter states(FlowState... other) {
            return new FlowFilter(namespace, Set.of(other), kind);
        }

        /** Only flows of this kind. */
        public FlowFilter kind(String other) {
            return new FlowFilter(namespace, states, Optional.of(other));
        }
    }

    /** The flow that an execution is a member of, and its name there. Refusal: {@code NotFound}. */
    Optional<Membership> membership(ExecutionId execution);

    /** Of which flow an execution is a member, and as which. */
    record Membership(FlowId flow, String name) {}

    /**
     * The members that a member comes after, in the order in which they were added, with what they
     * produced. A page has no more bytes than a message should have, so that it may hold fewer than
     * were asked for. Refusal: {@code NotFound}, also for an execution that is in no flow.
     */
    Page<Upstream> upstreams(ExecutionId member, Cursor after, int max);

    /**
     * All members that a member comes after, from all pages. Refusal: {@code NotFound}, also for an
     * execution that is in no flow.
     */
    default List<Upstream> allUpstreams(ExecutionId member) {
        var found = new ArrayList<Upstream>();
        for (var after = Cursor.START; !after.equals(Cursor.END); ) {
            var page = upstreams(member, after, (int) Limit.PAGE.max());
            found.addAll(page.items());
            after = page.next();
        }
        return List.copyOf(found);
    }

    /**
     * Members of a flow that fit a filter, in the order in which they were added. A page looks at a
     * bounded number of members, so that it may hold fewer than were asked for, even none; its
     * cursor goes on behind the last one it has looked at. Refusal: {@code NotFound}.
     */
    default Page<MemberView> search(FlowId flow, MemberFilter filter, Cursor after, int max) {
        return MemberSearch.page((from, most) -> members(flow, from, most), filter, after, max);
    }

    /**
     * The chain of members that decided when a flow ended, or of one that runs, the chain that led
     * to what it waits for. The whole graph is read for it, page by page: what changes meanwhile
     * may be seen or not. Refusal: {@code NotFound}.
     */
    default CriticalPath criticalPath(FlowId flow) {
        var graph = WholeGraph.read(this, flow);
        return CriticalPath.of(graph.flow().submitted(), graph.members(), graph.edges());
    }

    /**
     * The graph of a flow as a Mermaid diagram, as {@link FlowDiagram} draws it. It is read as for
     * {@link #criticalPath}. Refusal: {@code NotFound}.
     */
    default String diagram(FlowId flow) {
        var graph = WholeGraph.read(this, flow);
        return FlowDiagram.mermaid(graph.flow(), graph.members(), graph.edges());
    }
}
