package io.flowfabric.core.stream;

import io.flowfabric.core.Limit;

import java.time.Duration;
import java.time.Instant;

/**
 * Which frames of a stream are wanted: from one position to another and from one moment to another,
 * all of them included.
 */
public record FrameRange(long from, long to, Instant since, Instant until) {
    /** Later than anything that is stored. */
    private static final Instant NEVER = Instant.ofEpochMilli(1L << 47);

    /** Every frame. */
    public static final FrameRange ALL =
            new FrameRange(0, Limit.POSITION.max(), Instant.EPOCH, NEVER);

    public FrameRange {
        Limit.POSITION.checkRange("from", 0, from);
        Limit.POSITION.checkRange("to", 0, to);
        since = since.isBefore(Instant.EPOCH) ? Instant.EPOCH : wholeMillis(since);
        until = until.isAfter(NEVER) ? NEVER : until;
    }

    /** The first millisecond that is not before a moment; later than all is later than all. */
    private static Instant wholeMillis(Instant moment) {
        if (moment.isAfter(NEVER)) {
            return NEVER;
        }
        var floor = Instant.ofEpochMilli(moment.toEpochMilli());
        return floor.equals(moment) ? floor : floor.plus(Duration.ofMillis(1));
    }

    /** Every frame from a position on. */
    public static FrameRange from(long position) {
        return new FrameRange(position, ALL.to, ALL.since, ALL.until);
    }

    /** Of these, none behind a position. */
    public FrameRange to(long position) {
        return new FrameRange(from, position, since, until);
    }

    /** Of these, none that was appended before a moment. */
    public FrameRange since(Instant moment) {
        return new FrameRange(from, to, moment, until);
    }

    /** Of these, none that was appended after a moment. */
    public FrameRange until(Instant moment) {
        return new FrameRange(from, to, since, moment);
    }

    /** Whether a frame is one of them. */
    public boolean includes(StreamFrame frame) {
        return frame.position() >= from
                && frame.position() <= to
                && !frame.at().isBefore(since)
                && !frame.at().isAfter(until);
    }
}
