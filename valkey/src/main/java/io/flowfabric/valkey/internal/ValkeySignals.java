package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.decision.PresentedSignals;
import io.flowfabric.core.decision.PresentedSignals.Addressed;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.decision.WaitpointPlace;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.signing.KeyRing;
import io.flowfabric.core.signing.WaitpointToken;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.record.SignalRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What executions that wait are told, by the program itself or from outside. */
public final class ValkeySignals implements Signals {
    private final ValkeyContext valkey;
    private final ValkeyKeys keys;
    private final SendingQuestion sending;
    private final ExecutionReads reads;
    private final ValkeyWaitpoints listing;

    public ValkeySignals(ValkeyContext valkey, ValkeyKeys keys) {
        this.valkey = valkey;
        this.keys = keys;
        this.sending = new SendingQuestion(valkey);
        this.reads = new ExecutionReads(valkey);
        this.listing = new ValkeyWaitpoints(valkey);
    }

    @Override
    public List<Answer<Delivery>> send(List<Signal> signals) {
        signals.forEach(signal -> signal.by().mustBeOperator());
        return sending.send(signals.stream().map(Addressed::trusted).toList());
    }

    @Override
    public List<Answer<Delivery>> present(List<Presented> signals) {
        Limit.BATCH.checkCount("signals", signals.size());
        signals.forEach(presented -> presented.by().mustBeOperator());
        return PresentedSignals.of(keys.ring(), signals).answers(sending::send);
    }

    /** What is known of an execution at a moment. */
    private record Known(Facts facts, Instant now) {}

    private List<Answer<Known>> known(List<ExecutionId> executions) {
        return reads.each(
                executions,
                StoredExecution.WAITING,
                false,
                (stored, around) -> new Known(stored.facts(), around.now()));
    }

    @Override
    public List<Answer<String>> tokens(List<Wanted> wanted) {
        Limit.BATCH.checkCount("tokens", wanted.size());
        var ring = keys.ring();
        var found = known(wanted.stream().map(one -> one.at().execution()).toList());
        var answers = new ArrayList<Answer<String>>();
        for (int n = 0; n < wanted.size(); n++) {
            answers.add(token(wanted.get(n), found.get(n), ring));
        }
        return answers;
    }

    private static Answer<String> token(Wanted wanted, Answer<Known> found, KeyRing ring) {
        try {
            var known = found.orThrow();
            var place = WaitDecisions.mustBeOpen(known.facts, wanted.at(), known.now);
            return Answer.done(
                    WaitpointToken.sign(
                                    ring.current(),
                                    wanted.at(),
                                    place.number(),
                                    known.now.plus(wanted.validity()))
                            .text());
        } catch (FlowFabricException refusal) {
            return Answer.refused(refusal);
        }
    }

    @Override
    public List<Answer<Waitpoint>> close(List<Waitpoint> waitpoints, Attribution by) {
        by.mustBeOperator();
        return new DecidedWaits<>(valkey, "await", new ClosingQuestion(by))
                .each("waitpoints", waitpoints, at -> 0, new AppliedParts());
    }

    @Override
    public List<WaitpointView> waitpoints(ExecutionId execution) {
        return reads.each(
                        List.of(execution),
                        StoredExecution.WAITING,
                        false,
                        (stored, around) ->
                                stored.row().situation().terminal()
                                        ? List.<WaitpointView>of()
                                        : stored.awaiting()
                                                .views(
                                                        execution,
                                                        stored.submission().lane(),
                                                        around.now()))
                .getFirst()
                .orThrow();
    }

    @Override
    public Page<WaitpointView> waitpoints(
            Lane lane, Optional<Instant> openedBefore, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        return listing.page(lane, openedBefore, WaitpointPlace.read(after), max);
    }

    @Override
    public Page<ReceivedSignal> received(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        return valkey.at(
                execution,
                home -> {
                    var told =
                            valkey.read(
                                            "received",
                                            home,
                                            out ->
                                                    out.list(5)
                                                            .uuid(execution.uuid())
                                                            .number(execution.partition().number())
                                                            .number(before)
                                                            .number(max)
                                                            .number(Chunks.BYTES))
                                    .answer();
                    if (told.isAbsent()) {
                        throw new NotFound("execution", execution.toString());
                    }
                    return NumberedPages.page(
                            before,
                            signals(execution, before, told),
                            ReceivedSignal::bytes,
                            max,
                            told.at(1).truth());
                });
    }

    private static List<ReceivedSignal> signals(ExecutionId execution, int before, Item told) {
        try {
            var parts = told.at(0).list();
            var signals = new ArrayList<ReceivedSignal>();
            for (int n = 0; n < parts.size(); n += 2) {
                long number = before + n / 2 + 1L;
                signals.add(SignalRecord.read(execution, number, parts.get(n), parts.get(n + 1)));
            }
            return signals;
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + execution, damaged);
        }
    }
}
