package io.flowfabric.postgres;

import io.flowfabric.core.Cursor;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Where a reader of the log is: what a cursor says.
 *
 * @param era of the log, which begins another one when it finds itself somewhere else
 * @param seen everything that this snapshot sees was delivered; empty when nothing was
 * @param target the snapshot that the current portion goes up to; empty when a new one is to begin
 * @param last the last event of the current portion that was delivered
 * @param known the highest event when the portion before ended: when more than that was dropped,
 *     something was missed
 */
record FeedPosition(
        long era, Optional<Snapshot> seen, Optional<Snapshot> target, long last, long known) {
    private static final int SEEN = 1;
    private static final int TARGET = 2;

    /** Before everything that is kept. */
    static FeedPosition beginning(long era, long dropped) {
        return new FeedPosition(era, Optional.empty(), Optional.empty(), dropped, dropped);
    }

    /** Behind everything that a snapshot sees. */
    static FeedPosition behind(long era, Snapshot seen, long known) {
        return new FeedPosition(era, Optional.of(seen), Optional.empty(), 0, known);
    }

    static FeedPosition of(Cursor cursor) {
        var bytes = ByteBuffer.wrap(cursor.position(Cursor.Purpose.FEED));
        long has = VarInt.read(bytes);
        if (has > SEEN + TARGET) {
            throw Cursor.malformed();
        }
        long era = VarInt.read(bytes);
        long last = VarInt.read(bytes);
        long known = VarInt.read(bytes);
        var seen = snapshot((has & SEEN) != 0, bytes);
        var target = snapshot((has & TARGET) != 0, bytes);
        if (bytes.hasRemaining()) {
            throw Cursor.malformed();
        }
        return new FeedPosition(era, seen, target, last, known);
    }

    private static Optional<Snapshot> snapshot(boolean has, ByteBuffer bytes) {
        return has ? Optional.of(Snapshot.read(bytes)) : Optional.empty();
    }

    Cursor cursor() {
        var numbers = new VarInt.Writer();
        numbers.write((seen.isPresent() ? SEEN : 0) + (target.isPresent() ? TARGET : 0));
        numbers.write(era).write(last).write(known);
        seen.ifPresent(snapshot -> snapshot.write(numbers));
        target.ifPresent(snapshot -> snapshot.write(numbers));
        return Cursor.at(Cursor.Purpose.FEED, numbers.bytes());
    }

    /** Whether a portion was begun and not finished. */
    boolean insidePortion() {
        return target.isPresent();
    }

    /** Inside of a portion, behind an event. */
    FeedPosition at(Snapshot goal, long event) {
        return new FeedPosition(era, seen, Optional.of(goal), event, known);
    }

    /** Whether something was dropped that was not delivered. */
    boolean missed(long dropped) {
        return dropped > Math.max(known, seen.isEmpty() ? last : 0);
    }

    /** Whether it has seen transactions that the server has never had: those of another server. */
    boolean isAheadOf(Snapshot now) {
        return seen.filter(snapshot -> snapshot.isAheadOf(now)).isPresent()
                || target.filter(snapshot -> snapshot.isAheadOf(now)).isPresent();
    }
}
