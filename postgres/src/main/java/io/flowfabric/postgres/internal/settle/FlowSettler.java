package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.decision.FlowSettlement.Settled;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowTable.News;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;
import io.flowfabric.postgres.internal.step.StepBatch;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
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
        private final Map<UUID, List<EndedMember>> ended = new LinkedHashMap<>();
        private final Map<UUID, List<MemberRecord>> members = new HashMap<>();

        public void add(FlowMember one, EndedMember end) {
            ended.computeIfAbsent(one.flow(), first -> new ArrayList<>()).add(end);
            members.computeIfAbsent(one.flow(), first -> new ArrayList<>()).add(one.member());
        }

        List<EndedMember> of(UUID flow) {
            return ended.getOrDefault(flow, List.of());
        }

        List<MemberRecord> members(UUID flow) {
            return members.getOrDefault(flow, List.of());
        }

        List<LockedGraphs.End> all() {
            var all = new ArrayList<LockedGraphs.End>();
            ended.forEach(
                    (flow, some) ->
                            some.forEach(
                                    end ->
                                            all.add(
                                                    new LockedGraphs.End(
                                                            flow, end.number(), end.outcome()))));
            return all;
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
        var due =
                locked.values().stream()
                        .filter(flow -> !ends.of(flow.id()).isEmpty() || isDue(flow.record()))
                        .toList();
        var graphs =
                LockedGraphs.read(postgres, tx, due.stream().map(LockedFlow::id).toList(), ends);
        var decisions = new ArrayList<Decision>();
        for (var flow : due) {
            decisions.add(
                    new Decision(
                            flow,
                            FlowSettlement.settle(
                                    flow.record(),
                                    graphs.of(flow.id()),
                                    ends.of(flow.id()),
                                    flow.now(),
                                    most)));
        }
        var settled = new LinkedHashMap<>(locked);
        write(tx, decisions, after).forEach(flow -> settled.put(flow.id(), flow));
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

    /** What was decided of a flow. */
    private record Decision(LockedFlow before, Settled settled) {
        LockedFlow after() {
            return before.with(settled.flow());
        }

        boolean changes() {
            return !settled.flow().equals(before.record());
        }

        Optional<News> end() {
            return FlowNews.ended(before.record(), settled.flow(), before.now())
                    .map(event -> new News(settled.flow(), event));
        }
    }

    /** Writes what was decided of a flow, and says how it is then. */
    public LockedFlow write(Jdbc tx, LockedFlow before, Settled settled, FlowAftermath after) {
        return write(tx, List.of(new Decision(before, settled)), after).getFirst();
    }

    private List<LockedFlow> write(Jdbc tx, List<Decision> decisions, FlowAftermath after) {
        for (var steps : inTurn(decisions)) {
            after.add(steps, steps.writeSettled(tx, postgres.now()));
        }
        MemberTable.change(
                tx,
                decisions.stream()
                        .flatMap(
                                it -> MemberTable.of(it.before.id(), it.settled.members()).stream())
                        .toList());
        var now = decisions.stream().map(Decision::after).toList();
        flows.change(
                tx, decisions.stream().filter(Decision::changes).map(Decision::after).toList());
        flows.tell(tx, decisions.stream().flatMap(it -> it.end().stream()).toList());
        now.forEach(after::add);
        return now;
    }

    /**
     * A member may be allowed to start and then be skipped, all in one piece. A statement takes one
     * step of each.
     */
    private static List<StepBatch> inTurn(List<Decision> decisions) {
        var batches = new ArrayList<StepBatch>();
        for (var decision : decisions) {
            var taken = new HashMap<Integer, Integer>();
            for (var step : decision.settled.steps()) {
                int turn = taken.merge(step.member(), 1, Integer::sum);
                if (turn > batches.size()) {
                    batches.add(new StepBatch());
                }
                batches.get(turn - 1).add(step.change(), step.facts());
            }
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
