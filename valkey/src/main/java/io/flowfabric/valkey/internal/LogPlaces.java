package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Partition;

import java.nio.ByteBuffer;
import java.util.BitSet;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Where a reader of the logs is: what a cursor says. A few places name their partitions one by one;
 * many are preceded by a set of bits, so that a cursor with all partitions is not too long.
 */
final class LogPlaces {
    private static final int NUMBER_BYTES = 6;
    private static final int INDEX_BYTES = 2;
    private static final int MARK_BYTES = 3;
    private static final int PLACE_BYTES = NUMBER_BYTES + INDEX_BYTES + MARK_BYTES;
    private static final int BITS_BYTES = Partition.COUNT / Byte.SIZE;

    /** So many places name their partitions. */
    private static final int FEW = 32;

    private final SortedMap<Partition, Place> places;

    /**
     * What is read next in the log of one partition.
     *
     * @param number of the entry
     * @param index of the event in it
     * @param mark of the last entry that was read, or begun; 0 when none was
     */
    record Place(long number, int index, int mark) {
        /** Before everything. */
        static final Place FIRST = new Place(1, 0, 0);
    }

    private LogPlaces(SortedMap<Partition, Place> places) {
        this.places = places;
    }

    /**
     * By which an entry is known again that may have been lost, and another written in its place:
     * some bytes that depend on all of its stamp. That of no entry is 0.
     */
    static int mark(long stamp) {
        return (int) ((stamp * 0x9E3779B97F4A7C15L) >>> (Long.SIZE - MARK_BYTES * Byte.SIZE));
    }

    static LogPlaces of(Map<Partition, Place> places) {
        var sorted = new TreeMap<Partition, Place>(Comparator.comparingInt(Partition::number));
        sorted.putAll(places);
        return new LogPlaces(sorted);
    }

    /**
     * @throws io.flowfabric.core.Invalid when it is none of ours
     */
    static LogPlaces of(Cursor cursor) {
        var bytes = cursor.position(Cursor.Purpose.FEED);
        var in = ByteBuffer.wrap(bytes);
        var places = of(Map.of());
        if (bytes.length <= FEW * (1 + PLACE_BYTES)) {
            if (bytes.length == 0 || bytes.length % (1 + PLACE_BYTES) != 0) {
                throw Cursor.malformed();
            }
            int before = -1;
            while (in.hasRemaining()) {
                int partition = in.get() & 0xFF;
                if (partition <= before) {
                    throw Cursor.malformed();
                }
                places.set(new Partition(partition), place(in));
                before = partition;
            }
            return places;
        }
        var bits = new byte[BITS_BYTES];
        in.get(bits);
        var named = BitSet.valueOf(bits);
        if (in.remaining() != named.cardinality() * PLACE_BYTES) {
            throw Cursor.malformed();
        }
        named.stream().forEach(number -> places.set(new Partition(number), place(in)));
        return places;
    }

    private static Place place(ByteBuffer in) {
        long number = read(in, NUMBER_BYTES);
        int index = (int) read(in, INDEX_BYTES);
        int mark = (int) read(in, MARK_BYTES);
        if (number == 0) {
            throw Cursor.malformed();
        }
        return new Place(number, index, mark);
    }

    Cursor cursor() {
        boolean few = places.size() <= FEW;
        var out =
                ByteBuffer.allocate(
                        (few ? places.size() : BITS_BYTES) + places.size() * PLACE_BYTES);
        if (!few) {
            var named = new BitSet(Partition.COUNT);
            places.keySet().forEach(partition -> named.set(partition.number()));
            out.put(named.toByteArray()).position(BITS_BYTES);
        }
        places.forEach(
                (partition, place) -> {
                    if (few) {
                        out.put((byte) partition.number());
                    }
                    write(out, place.number, NUMBER_BYTES);
                    write(out, place.index, INDEX_BYTES);
                    write(out, place.mark, MARK_BYTES);
                });
        return Cursor.at(Cursor.Purpose.FEED, out.array());
    }

    /** The place in a partition; none when it was not in use. */
    Optional<Place> in(Partition partition) {
        return Optional.ofNullable(places.get(partition));
    }

    /** The place in a partition; before everything when it was not in use. */
    Place orFirst(Partition partition) {
        return in(partition).orElse(Place.FIRST);
    }

    /** The partitions in which there are places. */
    Set<Partition> all() {
        return places.keySet();
    }

    void set(Partition partition, Place place) {
        places.put(partition, place);
    }

    private static long read(ByteBuffer in, int bytes) {
        long number = 0;
        for (int i = 0; i < bytes; i++) {
            number = number << Byte.SIZE | (in.get() & 0xFF);
        }
        return number;
    }

    private static void write(ByteBuffer out, long number, int bytes) {
        for (int shift = (bytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            out.put((byte) (number >>> shift));
        }
    }
}
