package io.flowfabric.core.decision;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Page;
import io.flowfabric.core.signal.WaitpointView;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/**
 * Where a waitpoint stands among those of its lane: the oldest first, then by execution and name,
 * both by their bytes.
 *
 * @param opened in milliseconds since 1970
 */
public record WaitpointPlace(long opened, UUID execution, String name)
        implements Comparable<WaitpointPlace> {
    private static final int HEAD = 3 * Long.BYTES;

    private static final Comparator<WaitpointPlace> ORDER =
            Comparator.comparing(WaitpointPlace::bytes, Arrays::compareUnsigned);

    /** The place of a waitpoint. */
    public static WaitpointPlace of(WaitpointView waitpoint) {
        return new WaitpointPlace(
                waitpoint.opened().toEpochMilli(),
                waitpoint.at().execution().uuid(),
                waitpoint.at().name());
    }

    /** The place that a page begins behind; nothing for the first page. */
    public static Optional<WaitpointPlace> read(Cursor cursor) {
        if (cursor.equals(Cursor.START)) {
            return Optional.empty();
        }
        var position = cursor.position(Cursor.Purpose.LISTING);
        if (position.length <= HEAD) {
            throw Cursor.malformed();
        }
        return Optional.of(of(position));
    }

    /** The place that is written in these bytes. */
    public static WaitpointPlace of(byte[] written) {
        var buffer = ByteBuffer.wrap(written);
        return new WaitpointPlace(
                buffer.getLong(),
                new UUID(buffer.getLong(), buffer.getLong()),
                new String(written, HEAD, written.length - HEAD, StandardCharsets.UTF_8));
    }

    /**
     * A page of waitpoints.
     *
     * @param found in their order, one more than a page holds if there are more
     */
    public static Page<WaitpointView> page(List<WaitpointView> found, int max) {
        if (found.size() <= max) {
            return new Page<>(found, Cursor.END);
        }
        var some = found.subList(0, max);
        return new Page<>(some, of(some.getLast()).cursor());
    }

    /** The cursor behind it. */
    public Cursor cursor() {
        return Cursor.at(Cursor.Purpose.LISTING, bytes());
    }

    /** In bytes that sort as places do. */
    public byte[] bytes() {
        var text = name.getBytes(StandardCharsets.UTF_8);
        return ByteBuffer.allocate(HEAD + text.length)
                .putLong(opened)
                .putLong(execution.getMostSignificantBits())
                .putLong(execution.getLeastSignificantBits())
                .put(text)
                .array();
    }

    @Override
    public int compareTo(WaitpointPlace other) {
        return ORDER.compare(this, other);
    }
}
