package io.flowfabric.core.decision;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.schedule.Firing.DueWork;
import io.flowfabric.core.schedule.Firing.NextOccurrence;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.submit.Submission;

import java.math.BigInteger;
import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/**
 * One occurrence of a schedule. Everything about it comes from the schedule's name and the time, so
 * that all engines agree: how much later it is fired, and the id and the key of what it submits.
 *
 * @param at its time, without jitter
 */
public record ScheduledOccurrence(Schedule schedule, Instant at) {
    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;
    private static final int HEX = 16;

    /** When it is fired: its time, and its share of the jitter. */
    public Instant due() {
        long most = schedule.jitter().toMillis();
        return most == 0
                ? at
                : at.plusMillis(chance("jitter").mod(BigInteger.valueOf(most + 1)).longValue());
    }

    /** It as the one that is next. */
    public NextOccurrence asNext() {
        return new NextOccurrence(at, due());
    }

    /** It as one that is due. */
    public DueWork asDue() {
        return new DueWork(at, submission());
    }

    /** The idempotency key of what it submits: {@code schedule/nightly/2026-03-01T02:00:00Z}. */
    public String key() {
        return origin() + "/" + at;
    }

    private String origin() {
        return "schedule/" + schedule.name();
    }

    /** What it submits. */
    public Submission submission() {
        var work = schedule.work();
        return new Submission(
                id(),
                work.lane(),
                work.kind(),
                work.input(),
                work.creator().isEmpty() ? origin() : work.creator(),
                Optional.of(key()),
                work.tags(),
                work.policy());
    }

    /** An id as we mint them, of the time of the occurrence. */
    private ExecutionId id() {
        var partition = Partition.of(schedule.namespace());
        var chance = chance("id");
        long most = (at.toEpochMilli() << 16) | VERSION_7 | (chance.longValue() & 0xFFF);
        long least = VARIANT | (chance.shiftRight(Long.SIZE).longValue() >>> 2);
        return new ExecutionId(partition, new UUID(most, (least & ~0xFFL) | partition.number()));
    }

    private BigInteger chance(String purpose) {
        var digest =
                Digest.of("occurrence")
                        .text(purpose)
                        .text(schedule.namespace().name())
                        .text(schedule.name())
                        .number(at.toEpochMilli())
                        .done();
        return new BigInteger(digest.hex(), HEX);
    }
}
