package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.decision.PresentedSignals.Addressed;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.valkey.internal.DecidedWaits.Decided;
import io.flowfabric.valkey.internal.DecidedWaits.WaitFacts;
import io.flowfabric.valkey.internal.record.SignalRecord;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.List;
import java.util.Optional;

/** Signals on their way to executions. */
final class SendingQuestion implements DecidedWaits.WaitQuestion<Addressed, Delivery> {
    private final ValkeyContext valkey;

    SendingQuestion(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    List<Answer<Delivery>> send(List<Addressed> signals) {
        return new DecidedWaits<>(valkey, "await", this)
                .each("signals", signals, one -> one.signal().bytes(), new AppliedParts());
    }

    @Override
    public ExecutionId execution(Addressed addressed) {
        return addressed.signal().at().execution();
    }

    /** The last signal under its key. */
    @Override
    public Optional<byte[]> beside(Addressed addressed) {
        var at = addressed.signal().at();
        return addressed
                .signal()
                .key()
                .map(
                        key ->
                                Records.detail(
                                        at.execution().uuid(),
                                        'k',
                                        WaitRecord.underKey(at.name(), key)));
    }

    @Override
    public Decided<Delivery> decide(Addressed addressed, WaitFacts facts) {
        var sent =
                WaitDecisions.send(
                        facts.stored().facts(),
                        addressed.signal(),
                        addressed.place(),
                        before(addressed, facts),
                        facts.now());
        return Decided.of(sent.delivery(), sent.change(), sent.waited());
    }

    /** What has arrived under its key at this waitpoint, and not at an earlier one of its name. */
    private Optional<ReceivedSignal> before(Addressed addressed, WaitFacts facts) {
        var at = addressed.signal().at();
        var place = facts.stored().facts().awaiting().place(at.name());
        if (facts.beside().isAbsent() || place.isEmpty()) {
            return Optional.empty();
        }
        var last = Item.read(facts.beside().bytes());
        if (last.at(0).number() != place.get().number()) {
            return Optional.empty();
        }
        int number = last.at(1).small();
        var id = at.execution();
        var stored =
                Records.details(
                        valkey,
                        facts.home(),
                        List.of(
                                Records.detail(id.uuid(), 'h', ValkeySuspensions.nth(number)),
                                Records.detail(id.uuid(), 'm', ValkeySuspensions.nth(number))));
        // What is gone by now was changed, and is decided anew.
        return stored.getFirst()
                .optional(told -> SignalRecord.read(id, number, told, stored.getLast()));
    }
}
