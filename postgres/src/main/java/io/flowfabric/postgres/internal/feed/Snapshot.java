package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.Cursor;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * The transactions that a statement can see: a {@code pg_snapshot}.
 *
 * @param xmin everything before this one had ended
 * @param xmax nothing from this one on had
 * @param open those in between that had not ended, in order
 */
public record Snapshot(long xmin, long xmax, List<Long> open) {
    /** The first number that Postgres gives to a transaction. */
    private static final long FIRST = 3;

    /** From before there was anything. */
    public static final Snapshot NOTHING = new Snapshot(FIRST, FIRST, List.of());

    private static final Pattern TEXT = Pattern.compile("(\\d{1,19}):(\\d{1,19}):([\\d,]*)");

    public Snapshot {
        open = List.copyOf(open);
    }

    /** Reads what Postgres writes. */
    public static Snapshot of(String text) {
        var parts = TEXT.matcher(text);
        if (!parts.matches()) {
            throw new IllegalStateException("Postgres has no such snapshots: " + text);
        }
        var open =
                parts.group(3).isEmpty()
                        ? List.<Long>of()
                        : Pattern.compile(",")
                                .splitAsStream(parts.group(3))
                                .map(Long::valueOf)
                                .toList();
        return new Snapshot(Long.parseLong(parts.group(1)), Long.parseLong(parts.group(2)), open);
    }

    /** This snapshot without what it knows of transactions after the given one. */
    public Snapshot upTo(long xid) {
        long end = Math.min(xmax, xid + 1);
        return new Snapshot(
                Math.min(xmin, end), end, open.stream().filter(other -> other < end).toList());
    }

    /** Whether it knows of transactions that another one has not heard of. */
    public boolean isAheadOf(Snapshot other) {
        return xmax > other.xmax;
    }

    /** As few bytes as it takes: there may be hundreds of open transactions. */
    public void write(VarInt.Writer numbers) {
        numbers.write(xmin).write(xmax - xmin).write(open.size());
        long before = xmin;
        for (long xid : open) {
            numbers.write(xid - before);
            before = xid;
        }
    }

    /** Reads it back; what Postgres would not read is no part of a cursor of ours. */
    public static Snapshot read(ByteBuffer bytes) {
        long xmin = VarInt.read(bytes);
        long xmax = VarInt.sum(xmin, VarInt.read(bytes));
        long count = VarInt.read(bytes);
        if (xmin == 0 || count > bytes.remaining()) {
            throw Cursor.malformed();
        }
        var open = new ArrayList<Long>();
        long before = xmin;
        for (long i = 0; i < count; i++) {
            long xid = VarInt.sum(before, VarInt.read(bytes));
            if (xid >= xmax || (i > 0 && xid == before)) {
                throw Cursor.malformed();
            }
            open.add(xid);
            before = xid;
        }
        return new Snapshot(xmin, xmax, open);
    }

    /** As Postgres writes it. */
    @Override
    public String toString() {
        return open.stream()
                .map(String::valueOf)
                .collect(Collectors.joining(",", xmin + ":" + xmax + ":", ""));
    }
}
