package io.flowfabric.testkit.memory;

import io.flowfabric.core.Lane;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.testkit.memory.SessionRecord.GivenWork;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;

/** Which work a worker gets. */
final class MemoryClaims implements Claims {
    private final MemoryState world;
    private final PickJudge judge;

    /**
     * How far the sharing between lanes has come: a lane that was empty does not catch up on what
     * it missed.
     */
    private double pass;

    /** How far each lane has come in that. */
    private final Map<Lane, Double> passes = new HashMap<>();

    MemoryClaims(MemoryState world) {
        this.world = world;
        this.judge = new PickJudge(world);
    }

    @Override
    public Claimed claim(Claim claim) {
        return world.call(() -> told(claim, living -> pick(living, claim.max())));
    }

    /** Claims exactly this, as another store has done, after judging that it was allowed to. */
    Claimed follow(Claim claim, PickJudge.PickedWork given) {
        return world.call(() -> told(claim, living -> judged(living, claim.max(), given)));
    }

    List<MemoryExecution> judged(SessionRecord living, int max, PickJudge.PickedWork given) {
        return judge.judged(visible(living), living, max, given);
    }

    private Claimed told(Claim claim, Function<SessionRecord, List<MemoryExecution>> choice) {
        var shut = new HashSet<AdmissionBlock>();
        var leases =
                claim(
                        claim,
                        living -> {
                            shut.addAll(shut(living));
                            return choice.apply(living);
                        });
        return new Claimed(leases, shut, false);
    }

    private List<Lease> claim(Claim claim, Function<SessionRecord, List<MemoryExecution>> choice) {
        var living = world.sessions.alive(claim.session());
        return living.receipt(claim.number())
                .map(given -> stillHeld(given, claim.session()))
                .orElseGet(() -> lease(living, claim, choice.apply(living)));
    }

    /** Keeps what came of a claim. A repeat that gave nothing has used its number up, too. */
    void keep(SessionRecord living, Claim claim, List<MemoryExecution> rows) {
        if (!rows.isEmpty() || claim.repeated()) {
            living.keepReceipt(claim.number(), rows);
        }
    }

    /** The leases of a receipt that are still held. */
    List<Lease> stillHeld(List<GivenWork> receipt, SessionId session) {
        return receipt.stream()
                .flatMap(given -> world.executions.byUuid(given.execution().uuid()).stream())
                .filter(row -> !row.poisoned && receipt.contains(GivenWork.of(row)))
                .flatMap(row -> row.lease.stream())
                .filter(lease -> lease.session().equals(session))
                .toList();
    }

    private List<Lease> lease(SessionRecord living, Claim claim, List<MemoryExecution> picks) {
        picks.forEach(world.shares::started);
        var leases =
                picks.stream()
                        .map(row -> world.steps.lease(row, living, Optional.empty()))
                        .toList();
        keep(living, claim, picks);
        return leases;
    }

    List<MemoryExecution> pick(SessionRecord living, int max) {
        var queues = visible(living);
        var room = new AdmissionCheck(world);
        var picks = new ArrayList<MemoryExecution>();
        while (picks.size() < max) {
            queues.values().forEach(rows -> rows.removeIf(row -> !room.admits(row)));
            queues.values().removeIf(List::isEmpty);
            if (queues.isEmpty()) {
                break;
            }
            var lane =
                    queues.keySet().stream()
                            .min(Comparator.comparingDouble(this::turn))
                            .orElseThrow();
            var next = Objects.requireNonNull(queues.get(lane)).removeFirst();
            picks.add(next);
            room.take(next);
            pass = turn(lane);
            passes.put(lane, pass + 1.0 / world.lanes.settings(lane).weight());
        }
        return picks;
    }

    /** What keeps waiting what a session can see. */
    Set<AdmissionBlock> shut(SessionRecord living) {
        var room = new AdmissionCheck(world);
        return visible(living).values().stream()
                .flatMap(List::stream)
                .flatMap(room::shut)
                .collect(Collectors.toSet());
    }

    /** When it is a lane's turn; the heavier the lane, the smaller its steps. */
    private double turn(Lane lane) {
        return Math.max(pass, passes.getOrDefault(lane, 0.0));
    }

    /** What a session can see, lane by lane, in order. */
    private Map<Lane, List<MemoryExecution>> visible(SessionRecord living) {
        var queues = new TreeMap<Lane, List<MemoryExecution>>();
        for (MemoryExecution row : world.executions.rows()) {
            if (row.state instanceof Ready
                    && living.session.serves(row.lane())
                    && world.lanes.settings(row.lane()).state().gives()
                    && living.session.able(row.submission.kind(), row.policy().needs())
                    && !row.facts().pastDeadline(world.now())) {
                queues.computeIfAbsent(row.lane(), lane -> new ArrayList<>()).add(row);
            }
        }
        queues.forEach(
                (lane, rows) -> {
                    var settings = world.lanes.settings(lane);
                    rows.sort(Comparator.comparing(row -> row.place(settings)));
                });
        return queues;
    }
}
