package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.WaitDecisions.Kept;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.Optional;

/** How received signals are stored, as {@code waits.lua} does it. */
public final class SignalRecord {
    private SignalRecord() {}

    static void write(Packer out, ReceivedSignal received) {
        var signal = received.signal();
        var delivery = received.delivery();
        var content = Optional.of(signal.content()).filter(it -> !it.equals(Payload.EMPTY));
        out.list(10)
                .number(delivery.number())
                .text(signal.at().name())
                .number(received.place())
                .text(signal.name())
                .text(signal.by().actor())
                .text(signal.by().reason())
                .optional(signal.key(), Packer::text)
                .number(Codes.EFFECTS.of(delivery.effect()))
                .moment(delivery.at())
                .optional(content, (o, it) -> o.bytes(SubmissionRecord.write(it)));
    }

    /**
     * A signal.
     *
     * @param stored all of it but its content
     * @param content absent when there is none
     * @throws Item.Unreadable when it is damaged, or of a newer program
     */
    public static ReceivedSignal read(ExecutionId id, long number, Item stored, Item content) {
        return Item.decoded(
                () -> {
                    var told = Item.read(stored.bytes());
                    return new ReceivedSignal(
                            new Signal(
                                    new Waitpoint(id, told.at(0).text()),
                                    told.at(2).text(),
                                    content.optional(
                                                    it ->
                                                            SubmissionRecord.payload(
                                                                    Item.read(it.bytes())))
                                            .orElse(Payload.EMPTY),
                                    new Attribution(told.at(3).text(), told.at(4).text()),
                                    told.at(5).optional(Item::text)),
                            told.at(1).number(),
                            new Delivery(
                                    number, Codes.EFFECTS.word(told.at(6)), told.at(7).moment()));
                });
    }

    /** What a condition has to know of a signal. */
    public static Kept kept(long number, Item stored) {
        return Item.decoded(
                () -> {
                    var told = Item.read(stored.bytes());
                    return new Kept(
                            new SignalHead(
                                    number,
                                    told.at(0).text(),
                                    told.at(2).text(),
                                    told.at(3).text()),
                            told.at(1).number());
                });
    }
}
