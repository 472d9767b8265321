package io.flowfabric.postgres.internal.waiting;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.decision.PresentedSignals;
import io.flowfabric.core.decision.PresentedSignals.Addressed;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.signing.WaitpointToken;
import io.flowfabric.postgres.internal.ExecutionBatches;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.grant.PostgresKeys;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.StepBatch;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/** What executions that wait are told. */
public final class PostgresSignals implements Signals {
    private final PostgresContext postgres;
    private final PostgresKeys keys;
    private final WaitReader reader;

    public PostgresSignals(PostgresContext postgres) {
        this.postgres = postgres;
        this.keys = new PostgresKeys(postgres);
        this.reader = new WaitReader(postgres);
    }

    @Override
    public List<Answer<Delivery>> send(List<Signal> signals) {
        signals.forEach(signal -> signal.by().mustBeOperator());
        return deliver(signals.stream().map(Addressed::trusted).toList());
    }

    @Override
    public List<Answer<Delivery>> present(List<Presented> signals) {
        Limit.BATCH.checkCount("signals", signals.size());
        signals.forEach(presented -> presented.by().mustBeOperator());
        return PresentedSignals.of(keys.ring(), signals).answers(this::deliver);
    }

    /** The answers to a batch, the lanes in which work became ready, and when other work does. */
    private record Sent(
            Map<UUID, Answer<Delivery>> answers, ReadyLanes lanes, List<Instant> delays) {}

    private List<Answer<Delivery>> deliver(List<Addressed> signals) {
        return ExecutionBatches.answer(
                "signals",
                signals,
                one -> id(one).uuid(),
                one -> one.signal().bytes(),
                piece -> {
                    var sent = postgres.db().transaction(tx -> deliver(tx, piece));
                    sent.delays.forEach(at -> postgres.timers().set(at.toEpochMilli()));
                    postgres.goesOn(sent.lanes);
                    return sent.answers;
                });
    }

    private static ExecutionId id(Addressed one) {
        return one.signal().at().execution();
    }

    private Sent deliver(Jdbc tx, List<Addressed> signals) {
        var locked = lock(tx, signals, PostgresSignals::id);
        var before = reader.underKeys(tx, signals, locked);
        var answers = new HashMap<UUID, Answer<Delivery>>();
        var delays = new ArrayList<Instant>();
        var steps = new StepBatch();
        for (Addressed one : signals) {
            var id = id(one);
            try {
                var row = FactsReader.readable(id, locked.get(id.uuid()));
                var facts = row.facts().orElseThrow();
                var sent =
                        WaitDecisions.send(
                                facts,
                                one.signal(),
                                one.place(),
                                Optional.ofNullable(before.get(id.uuid())).map(Answer::orThrow),
                                row.now());
                sent.change().ifPresent(change -> steps.add(change, facts));
                sent.change().flatMap(WaitDecisions::until).ifPresent(delays::add);
                sent.waited().ifPresent(waited -> steps.add(waited, facts));
                answers.put(id.uuid(), Answer.done(sent.delivery()));
            } catch (FlowFabricException refusal) {
                answers.put(id.uuid(), Answer.refused(refusal));
            }
        }
        var lanes = new ReadyLanes();
        for (var step : steps.write(tx, postgres.now())) {
            if (step.ready()) {
                lanes.add(step.lane(), step.id());
            }
        }
        return new Sent(answers, lanes, delays);
    }

    private <T> Map<UUID, FactsReader.Locked> lock(
            Jdbc tx, List<T> items, Function<T, ExecutionId> id) {
        return FactsReader.lock(
                "facts", tx, postgres, items.stream().map(one -> id.apply(one).uuid()).toList());
    }

    @Override
    public List<Answer<String>> tokens(List<Wanted> wanted) {
        Limit.BATCH.checkCount("tokens", wanted.size());
        if (wanted.isEmpty()) {
            return List.of();
        }
        var ring = keys.ring();
        var key = ring.current();
        var answers = new ArrayList<Answer<String>>();
        for (Wanted one : wanted) {
            answers.add(
                    answered(
                            () -> {
                                var found = reader.find(one.at().execution());
                                found.refuseIfFinished();
                                var place =
                                        found.awaiting()
                                                .open(one.at().name(), found.now())
                                                .orElseThrow(() -> WaitDecisions.closed(one.at()));
                                return WaitpointToken.sign(
                                                key,
                                                one.at(),
                                                place.number(),
                                                found.now().plus(one.validity()))
                                        .text();
                            }));
        }
        return answers;
    }

    private static <R> Answer<R> answered(Supplier<R> call) {
        try {
            return Answer.done(call.get());
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }

    @Override
    public List<Answer<Waitpoint>> close(List<Waitpoint> waitpoints, Attribution by) {
        by.mustBeOperator();
        return ExecutionBatches.answer(
                "waitpoints",
                waitpoints,
                at -> at.execution().uuid(),
                piece -> postgres.db().transaction(tx -> close(tx, piece, by)));
    }

    private Map<UUID, Answer<Waitpoint>> close(
            Jdbc tx, List<Waitpoint> waitpoints, Attribution by) {
        var locked = lock(tx, waitpoints, Waitpoint::execution);
        var answers = new HashMap<UUID, Answer<Waitpoint>>();
        var steps = new StepBatch();
        var closed = new ArrayList<Waitpoint>();
        for (Waitpoint at : waitpoints) {
            var id = at.execution();
            try {
                var row = FactsReader.readable(id, locked.get(id.uuid()));
                var facts = row.facts().orElseThrow();
                WaitDecisions.close(facts, at, row.now())
                        .ifPresent(
                                waited -> {
                                    steps.add(waited, facts);
                                    closed.add(at);
                                });
                answers.put(id.uuid(), Answer.done(at));
            } catch (FlowFabricException refusal) {
                answers.put(id.uuid(), Answer.refused(refusal));
            }
        }
        steps.write(tx, postgres.now());
        if (!closed.isEmpty()) {
            tx.query("close_told")
                    .set("now", postgres.now())
                    .set("actor", by.actor())
                    .set("reason", by.reason())
                    .uuids("ids", closed, at -> at.execution().uuid())
                    .texts("names", closed, Waitpoint::name)
                    .update();
        }
        return answers;
    }

    @Override
    public List<WaitpointView> waitpoints(ExecutionId execution) {
        return reader.open(execution);
    }

    @Override
    public Page<WaitpointView> waitpoints(
            Lane lane, Optional<Instant> openedBefore, Cursor after, int max) {
        return reader.open(lane, openedBefore, after, max);
    }

    @Override
    public Page<ReceivedSignal> received(ExecutionId execution, Cursor after, int max) {
        return reader.received(execution, after, max);
    }
}
