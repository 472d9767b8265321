package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.FlowChanges;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.testkit.memory.FlowRegistry.FlowPlace;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import java.util.function.ToLongFunction;

/** Graphs of executions. */
final class MemoryFlows implements Flows {
    private final MemoryState world;

    MemoryFlows(MemoryState world) {
        this.world = world;
    }

    @Override
    public List<Answer<SubmittedFlow>> submit(List<FlowSubmission> flows) {
        return ItemAnswers.each(world, "flows", flows, this::accept);
    }

    private SubmittedFlow accept(FlowSubmission flow) {
        var graph = FlowAcceptance.number(flow, world.now());
        var digest = flow.digest();
        var known = FlowAcceptance.repeated(flow, digest, world.flows.known(flow.id()));
        if (known.isEmpty()) {
            world.flows.mustTake(FlowRecord.submitted(flow, digest, world.now()), flow.members());
            world.flows.submit(flow, digest, graph);
        }
        return known.orElse(new SubmittedFlow(flow.id(), true));
    }

    @Override
    public List<Answer<FlowView>> extend(List<FlowExtension> changes) {
        return ItemAnswers.each(world, "changes", changes, this::extend);
    }

    private FlowView extend(FlowExtension change) {
        var flow = world.flows.find(change.flow());
        if (!FlowChanges.repeated(flow.record, change)) {
            change.by()
                    .ifPresent(
                            fence -> {
                                var row = world.executions.find(fence.execution());
                                boolean member =
                                        row.member.map(FlowPlace::flow).equals(Optional.of(flow));
                                if (!member || !world.holds(row, fence)) {
                                    throw row.standing().lost(fence);
                                }
                            });
            var extended =
                    FlowChanges.extend(flow.record, flow.members, flow.arcs, change, world.now());
            world.flows.mustTake(flow.record, change.members());
            world.flows.extend(flow, extended, change.members(), Optional.empty());
        }
        return FlowView.of(flow.record);
    }

    @Override
    public List<Answer<FlowView>> cancel(
            List<FlowId> flows, FlowCancellation.Mode mode, Attribution by) {
        by.mustBeOperator();
        return ItemAnswers.each(
                world,
                "flows",
                flows,
                id -> {
                    var flow = world.flows.find(id);
                    FlowChanges.cancel(flow.record, mode, by, world.now())
                            .ifPresent(cancelled -> world.flows.cancelled(flow, cancelled, by));
                    return FlowView.of(flow.record);
                });
    }

    @Override
    public List<Answer<FlowView>> describe(List<FlowId> flows) {
        return ItemAnswers.each(
                world, "flows", flows, id -> FlowView.of(world.flows.find(id).record));
    }

    @Override
    public List<Answer<Payload>> inputs(List<FlowId> flows) {
        return ItemAnswers.each(world, "flows", flows, id -> world.flows.find(id).input);
    }

    @Override
    public Page<MemberView> members(FlowId id, Cursor after, int max) {
        return page(
                after,
                max,
                member -> 0,
                () -> {
                    var flow = world.flows.find(id);
                    return flow.members.stream()
                            .map(
                                    member ->
                                            MemberView.of(
                                                    member,
                                                    flow.row(member).findFirst().map(this::state)))
                            .toList();
                });
    }

    private PublicState state(MemoryExecution row) {
        return row.state.publicState();
    }

    @Override
    public Page<Edge> edges(FlowId id, Cursor after, int max) {
        return page(
                after,
                max,
                edge -> 0,
                () -> {
                    var flow = world.flows.find(id);
                    return flow.arcs.stream()
                            .sorted(
                                    Comparator.comparingInt(Arc::upstream)
                                            .thenComparingInt(Arc::downstream))
                            .map(
                                    arc ->
                                            new Edge(
                                                    flow.members.get(arc.upstream()).name(),
                                                    flow.members.get(arc.downstream()).name(),
                                                    arc.on()))
                            .toList();
                });
    }

    @Override
    public Page<FlowView> list(FlowFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        return world.call(
                () -> {
                    long behind = after.equals(Cursor.START) ? Long.MAX_VALUE : sequence(after);
                    var found =
                            world.flows.newestFirst().stream()
                                    .filter(flow -> flow.sequence < behind)
                                    .filter(flow -> filter.fits(FlowView.of(flow.record)))
                                    .limit(max + 1L)
                                    .toList();
                    var page = ListingPages.page(found, max, MemoryFlows::position);
                    return new Page<>(
                            page.items().stream().map(flow -> FlowView.of(flow.record)).toList(),
                            page.next());
                });
    }

    private static byte[] position(MemoryFlow flow) {
        return ByteBuffer.allocate(Long.BYTES).putLong(flow.sequence).array();
    }

    private static long sequence(Cursor cursor) {
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length != Long.BYTES) {
            throw Cursor.malformed();
        }
        return ByteBuffer.wrap(position).getLong();
    }

    @Override
    public Optional<Membership> membership(ExecutionId execution) {
        return world.call(
                () ->
                        world.executions
                                .find(execution)
                                .member
                                .map(
                                        place ->
                                                new Membership(
                                                        place.flow().record.id(),
                                                        place.flow()
                                                                .members
                                                                .get(place.number())
                                                                .name())));
    }

    @Override
    public Page<Upstream> upstreams(ExecutionId execution, Cursor after, int max) {
        return page(after, max, Upstream::bytes, () -> upstreams(execution));
    }

    private List<Upstream> upstreams(ExecutionId execution) {
        var place =
                world.executions
                        .find(execution)
                        .member
                        .orElseThrow(() -> new NotFound("flow of execution", execution.toString()));
        return place.flow().upstreams(place.number());
    }

    /** A page of what is numbered in its order. */
    private <T> Page<T> page(
            Cursor after, int max, ToLongFunction<T> bytes, Supplier<List<T>> all) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        return world.call(
                () ->
                        NumberedPages.page(
                                before,
                                all.get().stream().skip(before).toList(),
                                bytes,
                                max,
                                false));
    }
}
