package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.Cursor;

import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Where a reader of the log is: what a cursor says.
 *
 * @param era of the log, which begins another one when it finds itself somewhere else
 * @param seen everything that this snapshot sees was delivered; empty when nothing was
 * @param known what {@link #seen} sees has no higher ids than this: when more than that was
 *     dropped, something was missed
 * @param portion what is being delivered; empty when something new is to begin
 * @param last the last event of the portion that was delivered or passed over
 */
public record FeedPosition(
        long era, Optional<Snapshot> seen, long known, Optional<Portion> portion, long last) {
    private static final int SEEN = 1;
    private static final int PORTION = 2;

    /**
     * What one snapshot sees and the one before did not, in the order of the ids.
     *
     * @param target the snapshot that the portion goes up to
     * @param end what the target sees has no higher ids than this
     * @param newest the highest transaction of what was delivered so far, or dropped before
     */
    public record Portion(Snapshot target, long end, long newest) {}

    /** Before everything that is kept. */
    public static FeedPosition beginning(long era, long dropped) {
        return new FeedPosition(era, Optional.empty(), dropped, Optional.empty(), dropped);
    }

    /** Behind everything that a snapshot sees. */
    public static FeedPosition behind(long era, Snapshot seen, long known) {
        return new FeedPosition(era, Optional.of(seen), known, Optional.empty(), 0);
    }

    public static FeedPosition of(Cursor cursor) {
        var bytes = ByteBuffer.wrap(cursor.position(Cursor.Purpose.FEED));
        long has = VarInt.read(bytes);
        if (has > SEEN + PORTION) {
            throw Cursor.malformed();
        }
        long era = VarInt.read(bytes);
        long last = VarInt.read(bytes);
        long known = VarInt.read(bytes);
        Optional<Snapshot> seen =
                (has & SEEN) == 0 ? Optional.empty() : Optional.of(Snapshot.read(bytes));
        Optional<Portion> portion =
                (has & PORTION) == 0
                        ? Optional.empty()
                        : Optional.of(
                                new Portion(
                                        Snapshot.read(bytes),
                                        VarInt.read(bytes),
                                        VarInt.read(bytes)));
        if (bytes.hasRemaining()) {
            throw Cursor.malformed();
        }
        return new FeedPosition(era, seen, known, portion, last);
    }

    public Cursor cursor() {
        var numbers = new VarInt.Writer();
        numbers.write((seen.isPresent() ? SEEN : 0) + (portion.isPresent() ? PORTION : 0));
        numbers.write(era).write(last).write(known);
        seen.ifPresent(snapshot -> snapshot.write(numbers));
        portion.ifPresent(
                part -> {
                    part.target.write(numbers);
                    numbers.write(part.end).write(part.newest);
                });
        return Cursor.at(Cursor.Purpose.FEED, numbers.bytes());
    }

    /** Whether a portion was begun and not finished. */
    public boolean insidePortion() {
        return portion.isPresent();
    }

    /**
     * Inside of a portion, which is begun if none was.
     *
     * @param now what can be seen now
     * @param end what can be seen has no higher ids than this
     * @param dropped the highest transaction of what is not there any more
     */
    public FeedPosition begun(Snapshot now, long end, long dropped) {
        return portion.isPresent()
                ? this
                : new FeedPosition(
                        era, seen, known, Optional.of(new Portion(now, end, dropped)), last);
    }

    /** Inside of a portion, behind an event. */
    public FeedPosition at(long event, long newest) {
        return new FeedPosition(
                era,
                seen,
                known,
                portion.map(
                        part -> new Portion(part.target, part.end, Math.max(part.newest, newest))),
                event);
    }

    /**
     * Behind a portion. A cursor takes no transaction for seen that is younger than any event:
     * their numbers may be given to others after a crash, as long as nothing of them is on disk;
     * what has events that can be seen is on disk.
     */
    public FeedPosition finished() {
        var part = portion.orElseThrow();
        long before = seen.map(Snapshot::xmax).orElse(Snapshot.NOTHING.xmax()) - 1;
        return behind(era, part.target.upTo(Math.max(before, part.newest)), part.end);
    }

    /**
     * Whether something was dropped that comes behind this place. What comes before it may not have
     * been delivered either, when its transaction was open: {@link #judged} tells.
     */
    public boolean missed(long dropped) {
        return dropped > Math.max(known, last);
    }

    /**
     * The snapshot that tells which of the next events were delivered before; none when all of them
     * are new, because they are behind everything that it sees.
     */
    public Optional<Snapshot> since() {
        return seen.filter(snapshot -> last < known);
    }

    /** The snapshot that sees whatever was delivered of what comes before this place. */
    public Optional<Snapshot> judged() {
        return portion.filter(part -> last >= known).map(Portion::target).or(() -> seen);
    }

    /** Whether it has seen transactions that the server has never had: those of another server. */
    public boolean isAheadOf(Snapshot now) {
        return seen.filter(snapshot -> snapshot.isAheadOf(now)).isPresent()
                || portion.filter(part -> part.target.isAheadOf(now)).isPresent();
    }
}
