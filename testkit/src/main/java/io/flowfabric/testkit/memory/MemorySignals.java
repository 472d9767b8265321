package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.decision.PresentedSignals;
import io.flowfabric.core.decision.PresentedSignals.Addressed;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.decision.WaitpointPlace;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.signing.WaitpointToken;

import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** What executions that wait are told. */
final class MemorySignals implements Signals {
    private final MemoryState world;
    private final MemoryKeys keys;

    MemorySignals(MemoryState world, MemoryKeys keys) {
        this.world = world;
        this.keys = keys;
    }

    @Override
    public List<Answer<Delivery>> send(List<Signal> signals) {
        signals.forEach(signal -> signal.by().mustBeOperator());
        return ItemAnswers.each(
                world, "signals", signals, signal -> send(Addressed.trusted(signal)));
    }

    @Override
    public List<Answer<Delivery>> present(List<Presented> signals) {
        Limit.BATCH.checkCount("signals", signals.size());
        signals.forEach(presented -> presented.by().mustBeOperator());
        return world.call(
                () ->
                        PresentedSignals.of(keys.ring(), signals)
                                .answers(
                                        genuine ->
                                                genuine.stream()
                                                        .map(one -> ItemAnswers.of(() -> send(one)))
                                                        .toList()));
    }

    private Delivery send(Addressed addressed) {
        var signal = addressed.signal();
        var row = world.executions.find(signal.at().execution());
        var facts = row.facts();
        var sent =
                WaitDecisions.send(
                        facts,
                        signal,
                        addressed.place(),
                        before(row, facts.awaiting(), signal),
                        world.now());
        sent.change().ifPresent(change -> world.steps.apply(row, change));
        sent.waited().ifPresent(waited -> world.steps.remember(row, waited));
        return sent.delivery();
    }

    private static Optional<ReceivedSignal> before(
            MemoryExecution row, Awaiting awaiting, Signal signal) {
        var place = awaiting.place(signal.at().name()).map(Awaiting.Place::number);
        return signal.key().isEmpty()
                ? Optional.empty()
                : row.received.stream()
                        .filter(
                                other ->
                                        place.filter(number -> number == other.place()).isPresent()
                                                && other.signal().key().equals(signal.key()))
                        .findFirst();
    }

    @Override
    public List<Answer<String>> tokens(List<Wanted> wanted) {
        return ItemAnswers.each(
                world,
                "tokens",
                wanted,
                one -> {
                    var facts = world.executions.find(one.at().execution()).facts();
                    var place = WaitDecisions.mustBeOpen(facts, one.at(), world.now());
                    return WaitpointToken.sign(
                                    keys.ring().current(),
                                    one.at(),
                                    place.number(),
                                    world.now().plus(one.validity()))
                            .text();
                });
    }

    @Override
    public List<Answer<Waitpoint>> close(List<Waitpoint> waitpoints, Attribution by) {
        by.mustBeOperator();
        return ItemAnswers.each(world, "waitpoints", waitpoints, at -> close(at, by));
    }

    private Waitpoint close(Waitpoint at, Attribution by) {
        var row = world.executions.find(at.execution());
        WaitDecisions.close(row.facts(), at, world.now())
                .ifPresent(
                        waited -> {
                            world.steps.remember(row, waited);
                            world.log.append(
                                    new Event.WaitpointClosed(
                                            row.id(), row.lane(), at.name(), by, world.now()),
                                    row.submission.tags());
                        });
        return at;
    }

    @Override
    public List<WaitpointView> waitpoints(ExecutionId execution) {
        return world.call(() -> open(world.executions.find(execution)).toList());
    }

    @Override
    public Page<WaitpointView> waitpoints(
            Lane lane, Optional<Instant> openedBefore, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var behind = WaitpointPlace.read(after);
        return world.call(
                () -> {
                    var found =
                            world.executions.rows().stream()
                                    .filter(row -> row.lane().equals(lane))
                                    .flatMap(this::open)
                                    .filter(
                                            view ->
                                                    openedBefore
                                                            .map(view.opened()::isBefore)
                                                            .orElse(true))
                                    .filter(
                                            view ->
                                                    behind.map(
                                                                    place ->
                                                                            WaitpointPlace.of(view)
                                                                                            .compareTo(
                                                                                                    place)
                                                                                    > 0)
                                                            .orElse(true))
                                    .sorted(Comparator.comparing(WaitpointPlace::of))
                                    .limit(max + 1L)
                                    .toList();
                    return WaitpointPlace.page(found, max);
                });
    }

    private Stream<WaitpointView> open(MemoryExecution row) {
        return row.live()
                ? row.facts().awaiting().views(row.id(), row.lane(), world.now()).stream()
                : Stream.empty();
    }

    @Override
    public Page<ReceivedSignal> received(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        return world.call(
                () ->
                        NumberedPages.page(
                                before,
                                world.executions.find(execution).received.stream()
                                        .skip(before)
                                        .toList(),
                                ReceivedSignal::bytes,
                                max,
                                false));
    }
}
