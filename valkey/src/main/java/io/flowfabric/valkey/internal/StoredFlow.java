package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.codec.FlowCodec;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.valkey.internal.record.MemberLayout;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;

/**
 * A flow as it is stored.
 *
 * @param packed all of it, to be compared when something is decided by it: it has a version that
 *     every change raises
 * @param fixed what it was submitted with, as it is written
 * @param changing what became of it, as it is written
 * @param inbox members that have ended without the others being told, and the execution that
 *     awaited it
 * @param now when it was read
 */
@SuppressWarnings("ArrayRecordComponent") // Compared by the server alone.
record StoredFlow(
        FlowRecord record,
        byte[] packed,
        long version,
        JsonObject fixed,
        JsonObject changing,
        byte[] inbox,
        Instant now) {
    /** Of each member in an inbox its number and how it ended. */
    private static final int END_BYTES = 5;

    /** What stands in an inbox in place of a number for the execution that awaited the flow. */
    private static final int PARENT = -1;

    /**
     * @throws Item.Unreadable when it is damaged, or of a newer program
     */
    static StoredFlow read(UUID uuid, Item stored, Item inbox, Instant now) {
        return Item.decoded(
                () -> {
                    var told = Item.read(stored.bytes());
                    var id = new FlowId(new Partition(told.at(1).small()), uuid);
                    var fixed = Json.parseObject(told.at(2).text());
                    var changing = Json.parseObject(told.at(3).text());
                    return new StoredFlow(
                            FlowCodec.read(id, fixed, changing),
                            stored.bytes(),
                            told.at(0).number(),
                            fixed,
                            changing,
                            inbox.optional(Item::bytes).orElse(new byte[0]),
                            now);
                });
    }

    /** How a new flow is written. */
    static byte[] write(FlowRecord flow) {
        return write(flow, 1, FlowCodec.fixed(flow), JsonObject.EMPTY);
    }

    /** How this flow is written when it has become another one. */
    byte[] next(FlowRecord flow) {
        return write(flow, version + 1, fixed, changing);
    }

    private static byte[] write(
            FlowRecord flow, long version, JsonObject fixed, JsonObject before) {
        return new Packer()
                .list(4)
                .number(version)
                .number(flow.id().partition().number())
                .text(fixed.toString())
                .text(FlowCodec.changing(flow, before).toString())
                .done();
    }

    /** The members in its inbox, in the order in which they ended. */
    List<EndedMember> ended() {
        var in = ByteBuffer.wrap(inbox);
        var ended = new ArrayList<EndedMember>();
        while (in.remaining() >= END_BYTES) {
            int number = in.getInt();
            byte how = in.get();
            if (number != PARENT) {
                ended.add(new EndedMember(number, MemberLayout.outcome(how)));
            }
        }
        return ended;
    }

    /** Whether the execution that awaited it has ended. */
    boolean abandoned() {
        var in = ByteBuffer.wrap(inbox);
        for (int at = 0; at + END_BYTES <= inbox.length; at += END_BYTES) {
            if (in.getInt(at) == PARENT) {
                return true;
            }
        }
        return false;
    }

    /** Whether nothing is left to be done in it. */
    boolean settled() {
        return inbox.length == 0 && !record.unsettled();
    }

    FlowView view() {
        var view = FlowView.of(record);
        return new FlowView(
                view.id(),
                view.namespace(),
                view.kind(),
                view.tags(),
                view.creator(),
                view.policy(),
                view.parent(),
                view.state(),
                view.revision(),
                view.open(),
                view.tally(),
                view.cancelled(),
                settled(),
                view.submitted(),
                view.ended());
    }
}
