package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.decision.FlowAwaiting;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.decision.FlowSettlement.MemberStep;
import io.flowfabric.core.decision.FlowSettlement.Settled;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowTable.News;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Does what follows in flows from the ends of members: the core decides under the lock of the flow,
 * a piece at a time.
 */
public final class FlowSettler {
    private static final Logger log = LoggerFactory.getLogger(FlowSettler.class);

    /** One commit should not hold up others for long. */
    private static final int PIECE = 1000;

    /** How many flows are gone on with together. */
    private static final int TOGETHER = 50;

    private final PostgresContext postgres;
    private final FlowTable flows;

    public FlowSettler(PostgresContext postgres) {
        this.postgres = postgres;
        this.flows = new FlowTable(postgres);
    }

    /** Does a piece of what follows in flows that are locked. */
    public void settle(Jdbc tx, Collection<LockedFlow> locked, FlowAftermath after) {
        settle(tx, locked, Map.of(), after);
    }

    /**
     * Does a piece of what follows in flows that are locked.
     *
     * @param ended members of theirs that this transaction has ended, and how
     */
    void settle(
            Jdbc tx, Collection<LockedFlow> locked, Map<UUID, Outcome> ended, FlowAftermath after) {
        var unused = settle(tx, locked, ended, PIECE, after);
    }

    /** Does all that follows in a flow that is locked, and says how it is then. */
    public LockedFlow settleAll(Jdbc tx, LockedFlow flow, FlowAftermath after) {
        return settle(tx, List.of(flow), Map.of(), Integer.MAX_VALUE, after).stream()
                .findFirst()
                .orElse(flow);
    }

    /** Says how those flows are then in which something was due. */
    private List<LockedFlow> settle(
            Jdbc tx,
            Collection<LockedFlow> locked,
            Map<UUID, Outcome> ended,
            int most,
            FlowAftermath after) {
        var graphs = LockedGraphs.read(postgres, tx, locked, ended);
        var decisions = new ArrayList<Decision>();
        for (var flow : locked) {
            var cancelled =
                    graphs.isAbandoned(flow.id())
                            ? FlowAwaiting.abandoned(flow.record(), flow.now())
                            : Optional.<FlowRecord>empty();
            var record = cancelled.orElse(flow.record());
            var ends = graphs.ended(flow.id());
            if (!ends.isEmpty() || isDue(record)) {
                var graph = graphs.of(flow.id());
                decisions.add(
                        new Decision(
                                flow,
                                cancelled,
                                FlowSettlement.settle(record, graph, ends, flow.now(), most)));
            }
        }
        return write(tx, decisions, after);
    }

    /** Whether something is left to be done, or nothing is left to be waited for. */
    private static boolean isDue(FlowRecord flow) {
        boolean over = flow.tally().live() == 0 && !flow.open() && !flow.state().ended();
        return flow.unsettled() || over;
    }

    /**
     * What was decided of a flow.
     *
     * @param cancelled the flow as it was cancelled first, if it was
     */
    private record Decision(LockedFlow before, Optional<FlowRecord> cancelled, Settled settled) {
        LockedFlow after() {
            return before.with(settled.flow());
        }

        boolean changes() {
            return !settled.flow().equals(before.record());
        }

        Stream<FlowMember> members() {
            return MemberTable.of(before.id(), settled.members()).stream();
        }

        Stream<News> news() {
            return Stream.concat(
                    cancelled.stream()
                            .map(
                                    it ->
                                            new News(
                                                    it,
                                                    FlowNews.of(
                                                            it,
                                                            FlowStep.CANCELLED,
                                                            it.cancelled()
                                                                    .map(FlowCancellation::by),
                                                            before.now()))),
                    FlowNews.ended(before.record(), settled.flow(), before.now())
                            .map(event -> new News(settled.flow(), event))
                            .stream());
        }
    }

    /** Writes what was decided of a flow, and says how it is then. */
    public LockedFlow write(Jdbc tx, LockedFlow before, Settled settled, FlowAftermath after) {
        return write(tx, List.of(new Decision(before, Optional.empty(), settled)), after)
                .getFirst();
    }

    private List<LockedFlow> write(Jdbc tx, List<Decision> decisions, FlowAftermath after) {
        if (decisions.isEmpty()) {
            return List.of();
        }
        for (var steps : inTurn(decisions)) {
            after.add(steps, steps.writeSettled(tx, postgres.now()));
        }
        flows.change(
                tx,
                decisions.stream().filter(Decision::changes).map(Decision::after).toList(),
                decisions.stream().flatMap(Decision::members).toList(),
                decisions.stream().flatMap(Decision::news).toList());
        var now = decisions.stream().map(Decision::after).toList();
        now.forEach(after::add);
        return now;
    }

    /**
     * A member may be allowed to start and then be skipped, all in one piece. A statement takes one
     * step of each.
     */
    private static List<StepBatch> inTurn(List<Decision> decisions) {
        var ended = endedMembers(decisions);
        var batches = new ArrayList<StepBatch>();
        for (var decision : decisions) {
            var taken = new HashMap<Integer, Integer>();
            for (var step : decision.settled.steps()) {
                if (isParent(step) && ended.contains(step.facts().id())) {
                    // Its own flow ends it at the same moment: it does not go on.
                    continue;
                }
                int turn = taken.merge(step.member(), 1, Integer::sum);
                if (turn > batches.size()) {
                    batches.add(new StepBatch());
                }
                batches.get(turn - 1).add(step.change(), step.facts());
            }
        }
        return batches;
    }

    private static boolean isParent(MemberStep step) {
        return step.member() == MemberStep.PARENT;
    }

    private static Set<ExecutionId> endedMembers(List<Decision> decisions) {
        return decisions.stream()
                .flatMap(it -> it.settled.steps().stream())
                .filter(step -> !isParent(step) && step.change().after().terminal())
                .map(step -> step.facts().id())
                .collect(Collectors.toSet());
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
        var left = new LinkedHashSet<>(ids);
        while (!left.isEmpty()) {
            var some = left.stream().limit(TOGETHER).toList();
            var after =
                    postgres.db()
                            .transaction(
                                    tx -> {
                                        if (sweeps) {
                                            tx.query("patience_of_sweeps").run();
                                        }
                                        var piece = FlowAftermath.inTurn();
                                        settle(tx, flows.lock(tx, some).values(), piece);
                                        return piece;
                                    });
            after.tell(postgres);
            some.forEach(left::remove);
            left.addAll(after.unsettled());
        }
    }

    /**
     * Tells what was done, and goes on where something is left. That is committed, and so is what
     * is left to be done: where it cannot be done now, a sweep does it.
     */
    public void finish(FlowAftermath after) {
        after.tell(postgres);
        try {
            goOn(after.unsettled());
        } catch (FlowFabricException later) {
            log.info("What follows in flows is done later", later);
        }
    }
}
