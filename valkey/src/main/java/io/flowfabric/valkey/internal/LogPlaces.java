package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Partition;

import java.nio.ByteBuffer;
import java.util.Comparator;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;

/** Where a reader of the logs is: what a cursor says. */
final class LogPlaces {
    private static final int NUMBER_BYTES = 6;
    private static final int INDEX_BYTES = 3;
    private static final int PLACE_BYTES = 1 + NUMBER_BYTES + INDEX_BYTES;

    private final SortedMap<Partition, Place> places;

    /**
     * What is read next in the log of one partition.
     *
     * @param number of the entry
     * @param index of the event in it
     */
    record Place(long number, int index) {}

    private LogPlaces(SortedMap<Partition, Place> places) {
        this.places = places;
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
        if (bytes.length == 0 || bytes.length % PLACE_BYTES != 0) {
            throw Cursor.malformed();
        }
        var places = of(Map.of());
        int before = -1;
        for (var in = ByteBuffer.wrap(bytes); in.hasRemaining(); ) {
            int partition = in.get() & 0xFF;
            long number = read(in, NUMBER_BYTES);
            int index = (int) read(in, INDEX_BYTES);
            if (partition <= before || number == 0) {
                throw Cursor.malformed();
            }
            places.set(new Partition(partition), new Place(number, index));
            before = partition;
        }
        return places;
    }

    Cursor cursor() {
        var out = ByteBuffer.allocate(places.size() * PLACE_BYTES);
        places.forEach(
                (partition, place) -> {
                    out.put((byte) partition.number());
                    write(out, place.number, NUMBER_BYTES);
                    write(out, place.index, INDEX_BYTES);
                });
        return Cursor.at(Cursor.Purpose.FEED, out.array());
    }

    /** The place in a partition; none when it was not in use. */
    Optional<Place> in(Partition partition) {
        return Optional.ofNullable(places.get(partition));
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
