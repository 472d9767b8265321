package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowAwaiting;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.decision.WaitDecisions.Kept;
import io.flowfabric.core.decision.WaitDecisions.StepRoom;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.LaneNumbers;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.settle.FlowTable;
import io.flowfabric.postgres.internal.settle.LockedFlow;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Consumer;
import java.util.function.Function;

/**
 * How workers open waitpoints, suspend their executions, and await flows. What that leads to
 * depends on what has come already: the rows are locked, the core decides, what was decided is
 * written.
 */
final class SuspendedLeases {
    private final PostgresContext postgres;

    SuspendedLeases(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** What the end of a lease depends on besides its execution. */
    private record Circumstance(boolean alive, StepRoom room) {}

    /** What came of a batch: answers, refused fences, and whom it concerns. */
    private static final class Outcome<R> {
        final Map<UUID, Answer<R>> answers = new HashMap<>();
        final ReadyLanes lanes = new ReadyLanes();
        final Set<Integer> meters = new HashSet<>();
        final List<Instant> timeouts = new ArrayList<>();
    }

    /** Says what an ending leads to for an execution whose lease holds. */
    @FunctionalInterface
    private interface Decision<E> {
        Change decide(E ending, Held held);
    }

    Map<UUID, Answer<Ended>> suspend(List<Ending.Suspend> suspensions) {
        return letGo(
                suspensions, one -> one.suspension().name(), tx -> {}, SuspendedLeases::suspending);
    }

    private static Decision<Ending.Suspend> suspending(Jdbc tx, Map<UUID, Locked> locked) {
        var kept = kept(tx, locked);
        return (one, held) ->
                WaitDecisions.suspend(
                        held.facts,
                        one.suspension(),
                        kept.getOrDefault(id(one.fence()), List.of()),
                        held.room,
                        held.row.now());
    }

    /** Lets go of executions until flows below them have ended, which are locked first. */
    Map<UUID, Answer<Ended>> await(List<Ending.Await> awaiting) {
        var table = new FlowTable(postgres);
        var flows = new HashMap<UUID, LockedFlow>();
        return letGo(
                awaiting,
                one -> "",
                tx -> {
                    flows.clear();
                    flows.putAll(
                            table.lock(
                                    tx, awaiting.stream().map(one -> one.flow().uuid()).toList()));
                },
                (tx, locked) -> awaiting(lanes(tx, locked), flows));
    }

    private static Decision<Ending.Await> awaiting(
            LaneNumbers.ByNumber lanes, Map<UUID, LockedFlow> flows) {
        return (one, held) ->
                FlowAwaiting.await(
                        held.facts,
                        lanes.lane(held.row.lane()).namespace(),
                        FlowTable.found(one.flow(), flows.get(one.flow().uuid())).record());
    }

    private <E extends Ending> Map<UUID, Answer<Ended>> letGo(
            List<E> endings,
            Function<E, String> step,
            Consumer<Jdbc> first,
            BiFunction<Jdbc, Map<UUID, Locked>, Decision<E>> deciding) {
        var outcome =
                postgres.db()
                        .transaction(
                                tx -> {
                                    first.accept(tx);
                                    return letGo(tx, endings, step, deciding);
                                });
        outcome.timeouts.forEach(at -> postgres.timers().set(at.toEpochMilli()));
        postgres.goesOn(outcome.lanes);
        postgres.freed(outcome.meters);
        var refused =
                endings.stream()
                        .filter(one -> !outcome.answers.containsKey(id(one.fence())))
                        .toList();
        var standings =
                LeaseStandings.read(postgres.db(), refused.stream().map(Ending::fence).toList());
        refused.forEach(one -> outcome.answers.put(id(one.fence()), standings.repeated(one)));
        return outcome.answers;
    }

    private static UUID id(Fence fence) {
        return fence.execution().uuid();
    }

    private <E extends Ending> Outcome<Ended> letGo(
            Jdbc tx,
            List<E> endings,
            Function<E, String> step,
            BiFunction<Jdbc, Map<UUID, Locked>, Decision<E>> deciding) {
        var locked = lock(tx, endings, Ending::fence);
        var circumstances = circumstances(tx, endings, Ending::fence, step);
        var decision = deciding.apply(tx, locked);
        var outcome = new Outcome<Ended>();
        var steps = new StepBatch();
        for (E one : endings) {
            var id = id(one.fence());
            if (isUnreadable(one.fence(), locked.get(id), circumstances.get(id))) {
                outcome.answers.put(
                        id, Answer.refused(FactsReader.unreadable(one.fence().execution())));
                continue;
            }
            var held = held(one.fence(), locked.get(id), circumstances.get(id));
            if (held.isEmpty()) {
                continue;
            }
            try {
                var change = decision.decide(one, held.get());
                steps.addEnding(change, held.get().facts, one.digest());
                var until = WaitDecisions.until(change);
                until.ifPresent(outcome.timeouts::add);
                outcome.answers.put(id, Answer.done(new Ended(change.transition(), until)));
            } catch (FlowFabricException refusal) {
                outcome.answers.put(id, Answer.refused(refusal));
            }
        }
        for (var written : steps.write(tx, postgres.now())) {
            outcome.meters.addAll(written.freed());
            if (written.ready()) {
                outcome.lanes.add(written.lane(), written.id());
            }
        }
        return outcome;
    }

    Map<UUID, Answer<WaitpointView>> open(List<OpenWaitpoint> waitpoints) {
        var answers = postgres.db().transaction(tx -> open(tx, waitpoints));
        var refused =
                waitpoints.stream()
                        .map(OpenWaitpoint::fence)
                        .filter(fence -> !answers.containsKey(id(fence)))
                        .toList();
        var standings = LeaseStandings.read(postgres.db(), refused);
        refused.forEach(fence -> answers.put(id(fence), Answer.refused(standings.lost(fence))));
        return answers;
    }

    private Map<UUID, Answer<WaitpointView>> open(Jdbc tx, List<OpenWaitpoint> waitpoints) {
        var locked = lock(tx, waitpoints, OpenWaitpoint::fence);
        var circumstances =
                circumstances(tx, waitpoints, OpenWaitpoint::fence, OpenWaitpoint::name);
        var lanes = lanes(tx, locked);
        var answers = new HashMap<UUID, Answer<WaitpointView>>();
        var steps = new StepBatch();
        for (OpenWaitpoint one : waitpoints) {
            var id = id(one.fence());
            if (isUnreadable(one.fence(), locked.get(id), circumstances.get(id))) {
                answers.put(id, Answer.refused(FactsReader.unreadable(one.fence().execution())));
                continue;
            }
            var held = held(one.fence(), locked.get(id), circumstances.get(id));
            if (held.isEmpty()) {
                continue;
            }
            var row = held.get().row;
            var facts = held.get().facts;
            try {
                var waited = WaitDecisions.open(facts, one, row.now());
                waited.ifPresent(opened -> steps.add(opened, facts));
                var awaiting = waited.map(Waited::awaiting).orElse(facts.awaiting());
                answers.put(
                        id,
                        Answer.done(awaiting.view(facts.id(), lanes.lane(row.lane()), one.name())));
            } catch (FlowFabricException refusal) {
                answers.put(id, Answer.refused(refusal));
            }
        }
        steps.write(tx, postgres.now());
        return answers;
    }

    private LaneNumbers.ByNumber lanes(Jdbc tx, Map<UUID, Locked> locked) {
        return postgres.catalog()
                .lanes()
                .byNumber(tx, locked.values().stream().map(Locked::lane).toList());
    }

    private <T> Map<UUID, Locked> lock(Jdbc tx, List<T> items, Function<T, Fence> fence) {
        return FactsReader.lock(
                "facts", tx, postgres, items.stream().map(one -> id(fence.apply(one))).toList());
    }

    private <T> Map<UUID, Circumstance> circumstances(
            Jdbc tx, List<T> items, Function<T, Fence> fence, Function<T, String> name) {
        var found = new HashMap<UUID, Circumstance>();
        tx.query("suspendable")
                .set("now", postgres.now())
                .uuids("ids", items, one -> id(fence.apply(one)))
                .texts("names", items, name)
                .each(
                        row ->
                                found.put(
                                        row.uuid("id"),
                                        new Circumstance(
                                                row.bool("alive"),
                                                new StepRoom(
                                                        row.intValue("steps"),
                                                        row.longValue("step_bytes"),
                                                        row.bool("taken")))));
        return found;
    }

    /** An execution whose lease holds. */
    private record Held(Locked row, Facts facts, StepRoom room) {}

    /** What a fence allows to write about: running, this attempt, this epoch, a living session. */
    private static Optional<Held> held(
            Fence fence, @Nullable Locked row, @Nullable Circumstance circumstance) {
        if (row == null || circumstance == null || !isCurrent(fence, row, circumstance)) {
            return Optional.empty();
        }
        return row.facts()
                .filter(facts -> runs(facts, fence))
                .map(facts -> new Held(row, facts, circumstance.room));
    }

    /** Whether a lease holds, and what is stored of its execution cannot be read. */
    private static boolean isUnreadable(
            Fence fence, @Nullable Locked row, @Nullable Circumstance circumstance) {
        return row != null
                && circumstance != null
                && isCurrent(fence, row, circumstance)
                && row.facts().isEmpty();
    }

    /** Only what runs, or is granted, has a session, and only its newest lease has its epoch. */
    private static boolean isCurrent(Fence fence, Locked row, Circumstance circumstance) {
        return circumstance.alive
                && row.id().equals(fence.execution())
                && row.epoch() == fence.epoch();
    }

    private static boolean runs(Facts facts, Fence fence) {
        return facts.state() instanceof Running && facts.attempts() - 1 == fence.attempt();
    }

    /** The signals of those executions that have received some. */
    private static Map<UUID, List<Kept>> kept(Jdbc tx, Map<UUID, Locked> locked) {
        var told =
                locked.values().stream()
                        .filter(
                                row ->
                                        row.facts()
                                                .filter(facts -> facts.awaiting().received() > 0)
                                                .isPresent())
                        .map(row -> row.id().uuid())
                        .toList();
        var kept = new HashMap<UUID, List<Kept>>();
        if (!told.isEmpty()) {
            tx.query("kept_signals")
                    .uuids("ids", told, id -> id)
                    .each(
                            row ->
                                    kept.computeIfAbsent(
                                                    row.uuid("execution"),
                                                    first -> new ArrayList<>())
                                            .add(
                                                    new Kept(
                                                            new SignalHead(
                                                                    row.longValue("number"),
                                                                    row.text("waitpoint"),
                                                                    row.text("name"),
                                                                    row.text("actor")),
                                                            row.longValue("place"))));
        }
        return kept;
    }
}
