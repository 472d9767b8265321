package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.decision.FlowSettlement.MemberStep;
import io.flowfabric.core.decision.FlowSettlement.Settled;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;
import io.flowfabric.postgres.internal.step.StepBatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * Does what follows in flows from the ends of members: the core decides under the lock of the flow,
 * a piece at a time.
 */
public final class FlowSettler {
    /** One commit should not hold up others for long. */
    private static final int PIECE = 1000;

    private final PostgresContext postgres;
    private final FlowTable flows;

    public FlowSettler(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
    }

    /** Members that have ended, by their flows, and what was read of them. */
    public static final class Ends {
        private final Map<UUID, List<EndedMember>> ended = new HashMap<>();
        private final Map<UUID, List<MemberRecord>> members = new HashMap<>();

        public void add(FlowMember one, EndedMember end) {
            ended.computeIfAbsent(one.flow(), first -> new ArrayList<>()).add(end);
            members.computeIfAbsent(one.flow(), first -> new ArrayList<>()).add(one.member());
        }

        private List<EndedMember> of(UUID flow) {
            return ended.getOrDefault(flow, List.of());
        }

        private List<MemberRecord> members(UUID flow) {
            return members.getOrDefault(flow, List.of());
        }
    }

    /** Does a piece of what follows in flows that are locked, and says how they are then. */
    public Map<UUID, LockedFlow> settle(
            Jdbc tx, Map<UUID, LockedFlow> locked, Ends ends, FlowAftermath after) {
        return settle(tx, locked, ends, PIECE, after);
    }

    /** Does all that follows in a flow that is locked. */
    public LockedFlow settleAll(Jdbc tx, LockedFlow flow, FlowAftermath after) {
        return settle(tx, Map.of(flow.id(), flow), new Ends(), Integer.MAX_VALUE, after)
                .values()
                .iterator()
                .next();
    }

    private Map<UUID, LockedFlow> settle(
            Jdbc tx, Map<UUID, LockedFlow> locked, Ends ends, int most, FlowAftermath after) {
        takeEnded(tx, locked.keySet(), ends);
        var settled = new LinkedHashMap<UUID, LockedFlow>();
        locked.forEach(
                (id, flow) -> {
                    boolean nothing = ends.of(id).isEmpty() && !isDue(flow.record());
                    settled.put(
                            id,
                            nothing
                                    ? flow
                                    : settle(tx, flow, ends.of(id), ends.members(id), most, after));
                });
        return settled;
    }

    /** Whether something is left to be done, or nothing is left to be waited for. */
    private static boolean isDue(FlowRecord flow) {
        boolean over = flow.tally().live() == 0 && !flow.open() && !flow.state().ended();
        return flow.unsettled() || over;
    }

    /** Adds the members that ended in commits without the locks of their flows. */
    private static void takeEnded(Jdbc tx, Collection<UUID> flows, Ends ends) {
        tx.query("take_ended")
                .uuids("flows", flows, id -> id)
                .each(
                        row -> {
                            var one = FlowMember.of(row);
                            ends.add(
                                    one,
                                    new EndedMember(
                                            one.member().number(),
                                            MemberTable.outcome(row, "how").orElseThrow()));
                        });
    }

    private LockedFlow settle(
            Jdbc tx,
            LockedFlow flow,
            List<EndedMember> ended,
            List<MemberRecord> known,
            int most,
            FlowAftermath after) {
        var graph = new LockedGraph(postgres, tx, flow.id(), known);
        return write(
                tx,
                flow,
                FlowSettlement.settle(flow.record(), graph, ended, flow.now(), most),
                after);
    }

    /** Writes what was decided. */
    public LockedFlow write(Jdbc tx, LockedFlow before, Settled settled, FlowAftermath after) {
        for (var steps : inTurn(settled.steps())) {
            after.add(steps, steps.writeSettled(tx, postgres.now()));
        }
        MemberTable.change(tx, before.id(), settled.members());
        var now = before.with(settled.flow());
        if (!now.record().equals(before.record())) {
            flows.change(tx, now);
        }
        FlowNews.ended(before.record(), now.record(), before.now())
                .ifPresent(event -> flows.tell(tx, now.record(), event));
        after.add(now);
        return now;
    }

    /**
     * A member may be allowed to start and then be skipped, all in one piece. A statement takes one
     * step of each.
     */
    private static List<StepBatch> inTurn(List<MemberStep> steps) {
        var batches = new ArrayList<StepBatch>();
        var taken = new HashMap<Integer, Integer>();
        for (var step : steps) {
            int turn = taken.merge(step.member(), 1, Integer::sum);
            if (turn > batches.size()) {
                batches.add(new StepBatch());
            }
            batches.get(turn - 1).add(step.change(), step.facts());
        }
        return batches;
    }

    /**
     * Goes on until nothing is left to be done in these flows, each piece in a transaction of its
     * own.
     */
    public void goOn(Collection<UUID> ids) {
        goOn(ids, false);
    }

    /**
     * Goes on with these flows as a sweep does.
     *
     * @throws io.flowfabric.core.Contended when another transaction holds on to one of them
     */
    void sweep(UUID flow) {
        goOn(List.of(flow), true);
    }

    private void goOn(Collection<UUID> ids, boolean sweeps) {
        for (var left = ids; !left.isEmpty(); ) {
            var some = left;
            var after =
                    postgres.db()
                            .transaction(
                                    tx -> {
                                        if (sweeps) {
                                            tx.query("patience_of_sweeps").run();
                                        }
                                        var piece = FlowAftermath.inTurn();
                                        settle(tx, flows.lock(tx, some), new Ends(), piece);
                                        return piece;
                                    });
            after.tell(postgres);
            left = after.unsettled();
        }
    }

    /** Tells what was done, and goes on where something is left. */
    public void finish(FlowAftermath after) {
        after.tell(postgres);
        goOn(after.unsettled());
    }
}
