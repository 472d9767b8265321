package io.flowfabric.valkey.internal.record;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.core.decision.WaitpointPlace;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.util.List;

/** How it is stored what executions wait for, as {@code waits.lua} does it. */
public final class WaitRecord {
    private WaitRecord() {}

    /**
     * What is remembered of an execution that waits.
     *
     * @param stored absent when there is nothing
     * @throws Item.Unreadable when it is damaged, or of a newer program
     */
    public static Awaiting read(Item stored) {
        return stored.optional(
                        packed ->
                                Item.decoded(
                                        () ->
                                                WaitCodec.awaiting(
                                                        Json.parseObject(
                                                                Item.read(packed.bytes())
                                                                        .at(0)
                                                                        .text()))))
                .orElse(Awaiting.NOTHING);
    }

    /** What is written of a wait. */
    public static void write(Packer out, ExecutionId id, Waited waited) {
        out.list(4)
                .text(WaitCodec.write(waited.awaiting()).toString())
                .list(listed(id, waited.awaiting()), Packer::bytes)
                .optional(waited.step(), WaitRecord::write)
                .optional(waited.signal(), SignalRecord::write);
    }

    /** The places of the waitpoints that are not closed. Those whose time is over are passed by. */
    private static List<byte[]> listed(ExecutionId id, Awaiting awaiting) {
        return awaiting.places().entrySet().stream()
                .filter(place -> !place.getValue().closed())
                .map(
                        place ->
                                new WaitpointPlace(
                                                place.getValue().opened().toEpochMilli(),
                                                id.uuid(),
                                                place.getKey())
                                        .bytes())
                .toList();
    }

    /** A step, which a checkpoint of its name would repeat. */
    private static void write(Packer out, Step step) {
        out.list(6)
                .text(step.name())
                .digest(Digest.of("checkpoint").payload(step.content()).done())
                .bytes(SubmissionRecord.write(step.content()))
                .number(step.bytes())
                .number(step.attempt())
                .moment(step.recorded());
    }

    /** Under what it is stored which signal was last received under a key, behind its letter. */
    public static byte[] underKey(String waitpoint, String key) {
        var name = waitpoint.getBytes(UTF_8);
        var rest = key.getBytes(UTF_8);
        return ByteBuffer.allocate(Short.BYTES + name.length + rest.length)
                .putShort((short) name.length)
                .put(name)
                .put(rest)
                .array();
    }
}
