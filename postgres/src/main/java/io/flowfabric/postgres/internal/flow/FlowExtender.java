package io.flowfabric.postgres.internal.flow;

import io.flowfabric.core.Fence;
import io.flowfabric.core.decision.FlowChanges;
import io.flowfabric.core.decision.FlowChanges.Extended;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.lease.LeaseStandings;
import io.flowfabric.postgres.internal.settle.FlowAftermath;
import io.flowfabric.postgres.internal.settle.FlowSettler;
import io.flowfabric.postgres.internal.settle.FlowTable;
import io.flowfabric.postgres.internal.settle.FlowTable.News;
import io.flowfabric.postgres.internal.settle.LockedFlow;
import io.flowfabric.postgres.internal.settle.LockedGraph;
import io.flowfabric.postgres.internal.settle.MemberTable;

import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** How graphs grow, each by a change that is accepted or refused as a whole. */
final class FlowExtender {
    private final PostgresContext postgres;
    private final FlowTable flows;
    private final FlowSettler settler;

    FlowExtender(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
        this.settler = new FlowSettler(postgres);
    }

    private record Done(FlowView view, MemberWork.Inserted inserted, FlowAftermath after) {}

    FlowView extend(FlowExtension change) {
        var id = change.flow().uuid();
        var before = FlowTable.found(change.flow(), flows.read(postgres.db(), List.of(id)).get(id));
        // What has happened counts before what is changed, also when the change is refused.
        settler.goOn(List.of(id));
        if (FlowChanges.repeated(before.record(), change)) {
            return view(change);
        }
        var work =
                new MemberWork(
                        postgres, List.of(new MemberWork.Part(before.record(), change.members())));
        Done done = work.transaction(tx -> extend(tx, change, work));
        work.tell(done.inserted);
        settler.finish(done.after);
        return done.view;
    }

    private FlowView view(FlowExtension change) {
        var id = change.flow().uuid();
        return FlowView.of(
                FlowTable.found(change.flow(), flows.read(postgres.db(), List.of(id)).get(id))
                        .record());
    }

    private Done extend(Jdbc tx, FlowExtension change, MemberWork work) {
        var after = FlowAftermath.inTurn();
        var flow = settler.settleAll(tx, flows.lock(tx, change.flow()), after);
        if (FlowChanges.repeated(flow.record(), change)) {
            return new Done(FlowView.of(flow.record()), MemberWork.Inserted.NOTHING, after);
        }
        change.by().ifPresent(fence -> mustHold(tx, flow.id(), fence));
        var extended =
                FlowChanges.extend(
                        flow.record(),
                        MemberTable.all(tx, flow.id()),
                        MemberTable.arcs(tx, flow.id()),
                        change,
                        flow.now());
        var inserted = work.insert(tx, MemberTable.of(flow.id(), extended.members()), flow.now());
        return new Done(FlowView.of(write(tx, flow, extended, after)), inserted, after);
    }

    private FlowRecord write(Jdbc tx, LockedFlow flow, Extended extended, FlowAftermath after) {
        MemberTable.add(
                tx,
                MemberTable.of(flow.id(), extended.members()),
                MemberTable.arcsOf(flow.id(), extended.arcs()));
        var now = flow.with(extended.flow());
        var event = FlowNews.of(now.record(), FlowStep.EXTENDED, Optional.empty(), flow.now());
        flows.change(
                tx,
                List.of(now),
                MemberTable.of(flow.id(), extended.changed()),
                List.of(new News(now.record(), event)));
        var graph = new LockedGraph(postgres, tx, flow.id(), List.of());
        var settled =
                FlowSettlement.extend(
                        now.record(), graph, extended.toDecide(), flow.now(), Integer.MAX_VALUE);
        return settler.write(tx, now, settled, after).record();
    }

    /** Refuses a change under a lease that is not one of a member, or does not hold. */
    private void mustHold(Jdbc tx, UUID flow, Fence fence) {
        boolean holds =
                tx.query("member_lease")
                        .set("now", postgres.now())
                        .set("id", fence.execution().uuid())
                        .set("attempt", fence.attempt())
                        .set("epoch", fence.epoch())
                        .list(
                                row ->
                                        row.bool("holds")
                                                && flow.equals(row.uuidOrNull("flow"))
                                                && RowCodec.id(row).equals(fence.execution()))
                        .contains(true);
        if (!holds) {
            throw LeaseStandings.read(tx, List.of(fence)).lost(fence);
        }
    }
}
