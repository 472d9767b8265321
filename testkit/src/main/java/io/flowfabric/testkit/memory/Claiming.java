package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Lane;
import io.flowfabric.core.contract.Claims;
import io.flowfabric.core.contract.Lease;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.testkit.memory.World.Living;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;

/** Which work a worker gets. */
final class Claiming implements Claims {
    private final World world;

    /**
     * How far the sharing between lanes has come: a lane that was empty does not catch up on what
     * it missed.
     */
    private double pass;

    Claiming(World world) {
        this.world = world;
    }

    @Override
    public List<Lease> claim(Claim claim) {
        return world.call(() -> claim(claim, living -> pick(living, claim.max())));
    }

    /** Claims exactly these, as another store has done, after judging that it was allowed to. */
    List<Lease> follow(Claim claim, List<ExecutionId> picks) {
        return world.call(() -> claim(claim, living -> judged(living, claim.max(), picks)));
    }

    private List<Lease> claim(Claim claim, Function<Living, List<Row>> choice) {
        var living = world.alive(claim.session());
        return repeated(living, claim.number())
                .orElseGet(() -> lease(living, claim, choice.apply(living)));
    }

    private Optional<List<Lease>> repeated(Living living, long number) {
        if (number <= living.acknowledged) {
            throw new Invalid(
                    Invalid.Code.CLAIM_NUMBER_USED,
                    "claim number",
                    "%d was acknowledged by a heartbeat; claim with a higher one."
                            .formatted(number));
        }
        return Optional.ofNullable(living.receipts.get(number)).map(this::stillHeld);
    }

    private List<Lease> stillHeld(List<Fence> fences) {
        return fences.stream()
                .flatMap(fence -> world.byUuid(fence.execution().uuid()).stream())
                .filter(row -> !row.poisoned)
                .flatMap(row -> row.lease.stream())
                .filter(lease -> fences.contains(lease.fence()))
                .toList();
    }

    private List<Lease> lease(Living living, Claim claim, List<Row> picks) {
        var leases = picks.stream().map(row -> world.lease(row, living, Optional.empty())).toList();
        // A claim that gave nothing has nothing to give again.
        if (!leases.isEmpty()) {
            living.receipts.put(claim.number(), leases.stream().map(Lease::fence).toList());
        }
        return leases;
    }

    private List<Row> pick(Living living, int max) {
        var queues = visible(living);
        var picks = new ArrayList<Row>();
        while (picks.size() < max && !queues.isEmpty()) {
            var next =
                    queues.entrySet().stream()
                            .min(Comparator.comparingDouble(entry -> turn(entry.getKey())))
                            .orElseThrow();
            picks.add(next.getValue().removeFirst());
            if (next.getValue().isEmpty()) {
                queues.remove(next.getKey());
            }
            pass = turn(next.getKey());
            var queue = world.lane(next.getKey());
            queue.pass = pass + 1.0 / queue.settings.weight();
        }
        return picks;
    }

    /** When it is a lane's turn; the heavier the lane, the smaller its steps. */
    private double turn(Lane lane) {
        return Math.max(pass, world.lane(lane).pass);
    }

    /** What a session can see, lane by lane, in order. */
    private Map<Lane, List<Row>> visible(Living living) {
        var queues = new TreeMap<Lane, List<Row>>();
        for (Row row : world.rows()) {
            if (row.state instanceof Ready
                    && living.session.serves(row.lane())
                    && world.gives(row.lane())
                    && living.session.able(row.submission.kind(), row.policy().needs())
                    && !row.pastDeadline(world.now())) {
                queues.computeIfAbsent(row.lane(), lane -> new ArrayList<>()).add(row);
            }
        }
        queues.forEach((lane, rows) -> rows.sort(order(lane)));
        return queues;
    }

    /** Priority, then begun before fresh, then the order of submission. */
    private Comparator<Row> order(Lane lane) {
        var settings = world.lane(lane).settings;
        return Comparator.comparingLong(
                        (Row row) -> settings.rank(row.priority, row.submitted.toEpochMilli()))
                .thenComparing(row -> !((Ready) row.state).next().begun())
                .thenComparingLong(row -> row.sequence);
    }

    private List<Row> judged(Living living, int max, List<ExecutionId> picks) {
        var queues = visible(living);
        var seen = queues.values().stream().mapToInt(List::size).sum();
        check(
                picks.size() == Math.min(max, seen),
                "%d were claimed, of %d that the worker can see, with at most %d wanted"
                        .formatted(picks.size(), seen, max));
        var rows = new ArrayList<Row>();
        for (ExecutionId id : picks) {
            var row = world.find(id);
            var queue = queues.getOrDefault(row.lane(), List.of());
            check(queue.contains(row), id + " was claimed, and the worker cannot see it");
            check(
                    picks.containsAll(
                            queue.subList(0, queue.indexOf(row)).stream().map(Row::id).toList()),
                    "%s was claimed before what is ahead of it in its lane: %s"
                            .formatted(id, queue.stream().map(Row::id).toList()));
            rows.add(row);
        }
        return rows;
    }

    private static void check(boolean legal, String explanation) {
        if (!legal) {
            throw new AssertionError("not a legal pick: " + explanation);
        }
    }
}
