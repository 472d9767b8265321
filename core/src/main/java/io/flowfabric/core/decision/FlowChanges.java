package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Consequence;
import io.flowfabric.core.flow.Consequence.Stop;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.state.Outcome;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;

/** What callers change about a flow: its graph, and that it goes on. */
public final class FlowChanges {
    private static final Duration RETRY_AFTER = Duration.ofMillis(10);

    private FlowChanges() {}

    /**
     * What a change of a graph writes.
     *
     * @param members those that are new
     * @param changed those that were there before, and are different now
     * @param arcs those that are new
     * @param toDecide members of which something may be decided by now, and those that come with
     *     what they need
     */
    public record Extended(
            FlowRecord flow,
            List<MemberRecord> members,
            List<MemberRecord> changed,
            List<Arc> arcs,
            List<Integer> toDecide) {}

    /**
     * Whether a store has made this very change before, and nothing has to be done.
     *
     * @throws Conflict when the flow is not as the change needs it to be
     */
    public static boolean repeated(FlowRecord flow, FlowExtension change) {
        boolean again =
                flow.revision() == change.revision() + 1
                        && flow.extended().equals(Optional.of(change.digest()));
        if (again) {
            return true;
        }
        if (flow.revision() != change.revision()) {
            throw new Conflict(
                    Conflict.Code.STALE_REVISION,
                    flow.id().toString(),
                    "It is at revision %d and the change is for %d: look at it again, and change what it is now."
                            .formatted(flow.revision(), change.revision()));
        }
        closedBecause(flow, change)
                .ifPresent(
                        why -> {
                            throw new Conflict(
                                    Conflict.Code.FLOW_CLOSED,
                                    flow.id().toString(),
                                    "It takes no more members: " + why + ".");
                        });
        return false;
    }

    /** Why a flow takes nothing any more, if it does not. */
    private static Optional<String> closedBecause(FlowRecord flow, FlowExtension change) {
        if (flow.state().ended()) {
            return Optional.of("it is " + flow.state().wire());
        }
        if (flow.cancelled().isPresent()) {
            return Optional.of("it was cancelled");
        }
        if (flow.failedFast()) {
            return Optional.of("a member of it has failed, and it was to fail fast");
        }
        return flow.open() || change.by().isPresent()
                ? Optional.empty()
                : Optional.of(
                        "it is closed; submit it open, or add them under the lease of a member");
    }

    /**
     * Decides a change of a graph.
     *
     * @param flow settled: what is still to be told of would be counted twice
     * @param known all members of the flow, in the order of their numbers
     * @param arcs all arcs of the flow
     * @throws io.flowfabric.core.Invalid when the graph could never be done then
     * @throws Conflict when something is to come before what has begun
     */
    public static Extended extend(
            FlowRecord flow,
            List<MemberRecord> known,
            Collection<Arc> arcs,
            FlowExtension change,
            Instant now) {
        mustBeSettled(flow);
        FlowAcceptance.checkInputs(change.members());
        var members = new ArrayList<>(known);
        for (var member : change.members()) {
            FlowAcceptance.mustBeIn(flow.namespace(), member);
            members.add(MemberRecord.added(members.size(), member));
        }
        FlowAcceptance.checkSizes(members.size(), arcs.size() + change.edges().size());
        var numbers = FlowAcceptance.numbers(members);
        var edges = new ArrayList<Edge>();
        arcs.forEach(
                arc ->
                        edges.add(
                                new Edge(
                                        members.get(arc.upstream()).name(),
                                        members.get(arc.downstream()).name(),
                                        arc.on())));
        edges.addAll(change.edges());
        var all = FlowAcceptance.arcs(edges, numbers);
        FlowAcceptance.mustHaveNoCycle(members, all);
        var added = all.subList(arcs.size(), all.size());
        var touched = new TreeSet<Integer>();
        for (var arc : added) {
            var child = members.get(arc.downstream());
            mustWait(child);
            var upstream = members.get(arc.upstream());
            var joined = child.withEdge();
            members.set(
                    child.number(),
                    upstream.outcome()
                            .map(how -> joined.resolved(counts(arc, how)))
                            .orElse(joined));
            touched.add(child.number());
        }
        for (var name : change.sealed()) {
            var member = members.get(FlowAcceptance.number(name, numbers));
            members.set(member.number(), member.sealed());
            touched.add(member.number());
        }
        boolean open = flow.open() && !change.close();
        if (!open) {
            FlowAcceptance.mustBeSealed(members);
        }
        touched.forEach(number -> FlowAcceptance.mustBePossible(members.get(number)));
        var fresh = members.subList(known.size(), members.size());
        for (var member : List.copyOf(fresh)) {
            FlowAcceptance.mustBePossible(member);
            if (member.verdict() == Decided.SATISFIED) {
                members.set(member.number(), member.decided(Decided.SATISFIED, now));
            }
        }
        return new Extended(
                flow.extended(change.digest(), change.members().size(), open),
                List.copyOf(fresh),
                touched.stream().filter(n -> n < known.size()).map(members::get).toList(),
                List.copyOf(added),
                touched.stream().filter(n -> members.get(n).live()).toList());
    }

    /** Refuses to count anew while something that has happened is still to be counted. */
    static void mustBeSettled(FlowRecord flow) {
        if (flow.unsettled()) {
            throw new Contended("the flow " + flow.id(), RETRY_AFTER);
        }
    }

    private static boolean counts(Arc arc, Outcome upstream) {
        return upstream == Outcome.SUCCESS || arc.on() == Edge.On.COMPLETION;
    }

    private static void mustWait(MemberRecord child) {
        if (!child.waits()) {
            throw new Conflict(
                    Conflict.Code.MEMBER_BEGUN,
                    child.execution().toString(),
                    "Nothing can come before the member %s any more: it has what it needs, or has ended. Add it unsealed, and seal it after its last edge."
                            .formatted(child.name()));
        }
    }

    /**
     * Cancels a flow, in a stronger way than before if it was cancelled already.
     *
     * @return the flow, or nothing when what was asked for is already so
     * @throws Conflict when it has ended otherwise
     */
    public static Optional<FlowRecord> cancel(
            FlowRecord flow, FlowCancellation.Mode mode, Attribution by, Instant now) {
        if (flow.state() == FlowState.CANCELLED) {
            return Optional.empty();
        }
        if (flow.state().ended()) {
            throw new Conflict(
                    Conflict.Code.ALREADY_FINISHED,
                    flow.id().toString(),
                    "The flow is %s, which nothing changes any more but a replay of a member."
                            .formatted(flow.state().wire()));
        }
        var before = flow.cancelled();
        if (before.filter(known -> !stronger(mode, known.mode())).isPresent()) {
            return Optional.empty();
        }
        var how =
                new FlowCancellation(
                        mode,
                        before.map(FlowCancellation::by).orElse(by),
                        before.map(FlowCancellation::at).orElse(now));
        var left = new ArrayList<Consequence>();
        which(mode).ifPresent(which -> left.add(new Stop(which, -1)));
        flow.consequences().stream().filter(it -> !(it instanceof Stop)).forEach(left::add);
        return Optional.of(flow.cancelled(how).going(flow.tally(), left));
    }

    private static boolean stronger(FlowCancellation.Mode mode, FlowCancellation.Mode than) {
        return mode != than
                && than != FlowCancellation.Mode.ALL
                && mode != FlowCancellation.Mode.RECORD;
    }

    private static Optional<Consequence.Which> which(FlowCancellation.Mode mode) {
        return switch (mode) {
            case ALL -> Optional.of(Consequence.Which.CANCEL_ALL);
            case PENDING -> Optional.of(Consequence.Which.CANCEL_PENDING);
            case INACTIVE -> Optional.of(Consequence.Which.CANCEL_INACTIVE);
            case RECORD -> Optional.empty();
        };
    }
}
