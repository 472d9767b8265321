package io.flowfabric.valkey.internal;

import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Packer;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Endings of leases as {@code lease.lua} is asked to write them. Most of a batch come to the same,
 * which is sent once; what is their own stands in fixed places.
 */
final class EndRequest {
    /** Id, partition, attempts, epoch, digest, and the number of the change. */
    private static final int ENDING_BYTES = 62;

    /** Epochs are moments, or a little more; what is beyond this was never given. */
    private static final long HIGHEST_EPOCH = (1L << 48) - 1;

    private final List<byte[]> changes = new ArrayList<>();
    private final Map<ByteBuffer, Integer> numbers = new HashMap<>();
    private final ByteBuffer endings;

    EndRequest(List<Ending> endings) {
        this.endings = ByteBuffer.allocate(ENDING_BYTES * endings.size());
        endings.forEach(this::add);
    }

    private void add(Ending ending) {
        var fence = ending.fence();
        long epoch = fence.epoch() < 0 ? HIGHEST_EPOCH : Math.min(fence.epoch(), HIGHEST_EPOCH);
        endings.putLong(fence.execution().uuid().getMostSignificantBits())
                .putLong(fence.execution().uuid().getLeastSignificantBits())
                .putShort((short) fence.execution().partition().number())
                .putInt(fence.attempt() + 1)
                .putShort((short) (epoch >> Integer.SIZE))
                .putInt((int) epoch)
                .put(Packer.bytesOf(ending.digest()))
                .putShort((short) number(change(LeaseEnd.of(ending))));
    }

    /** The number of a change, which is a new one if no ending before came to the same. */
    private int number(byte[] change) {
        var known = numbers.putIfAbsent(ByteBuffer.wrap(change), changes.size() + 1);
        if (known != null) {
            return known;
        }
        changes.add(change);
        return changes.size();
    }

    /**
     * @param anyhow whether members of flows end as well, and what follows is only noted
     */
    void write(Packer out, boolean anyhow) {
        out.list(3).list(changes, Packer::packed).bytes(endings.array()).truth(anyhow);
    }

    private static byte[] change(LeaseEnd end) {
        var out = new Packer();
        out.list(15)
                .number(Codes.STEPS.of(end.transition()))
                .number(Codes.SITUATIONS.of(end.situation()))
                .optional(end.next(), (o, next) -> o.number(Codes.PURPOSES.of(next)));
        SubmitRequest.due(out, end.until());
        return out.optional(end.delayedBy(), (o, by) -> o.number(Codes.DELAYS.of(by)))
                .absent()
                .absent()
                .number(end.retries())
                .absent()
                .absent()
                .absent()
                .absent()
                .optional(end.failure(), (o, failure) -> o.bytes(Steps.write(failure)))
                .optional(
                        end.result().filter(result -> !result.equals(Payload.EMPTY)),
                        (o, result) -> o.bytes(SubmissionRecord.write(result)))
                .absent()
                .done();
    }
}
