package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.LogPlaces.Place;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A portion of the log of one partition, from a place on, as it is read event by event. */
final class LogPortion {
    /** How many stamps one millisecond has, as in {@code log.lua}. */
    static final long STAMPS_IN_A_MILLISECOND = 1024;

    private final Partition partition;
    private final EventDecoder decoder;
    private final List<Entry> entries = new ArrayList<>();
    private final Place start;
    private final boolean strayed;
    private long last;
    private long bound;
    private int look;
    private int entry;
    private int index;

    /**
     * @param look the one that it was read with
     */
    private record Entry(long number, long stamp, List<Item> events, int look) {}

    private LogPortion(
            Partition partition, EventDecoder decoder, Place start, boolean strayed, int look) {
        this.partition = partition;
        this.decoder = decoder;
        this.start = start;
        this.strayed = strayed;
        this.look = look;
        this.index = start.index();
    }

    /** Asks for what comes after a place; nothing for everything that is kept. */
    static void ask(Packer out, Optional<Place> from, int events, int bytes) {
        out.list(3)
                .optional(from, (o, place) -> o.number(place.number()))
                .number(events)
                .number(bytes);
    }

    /**
     * What was told of a log.
     *
     * @param look which look at the logs this was
     * @throws io.flowfabric.core.Invalid when what comes after the place was dropped, or when the
     *     log is not the one any more that it is a place in
     */
    static LogPortion of(
            ValkeyContext valkey, Partition partition, Optional<Place> from, Told told, int look) {
        long dropped = told.answer().at(0).number();
        long first = told.answer().at(2).number();
        if (first <= dropped) {
            throw Cursor.expired();
        }
        var start = from.orElse(new Place(first, 0, 0));
        var portion =
                new LogPortion(
                        partition,
                        new EventDecoder(valkey, partition),
                        start,
                        isStrayed(told),
                        look);
        portion.extend(told, look);
        portion.mustFollow(start, told.answer().at(4).number());
        portion.skipFinished();
        return portion;
    }

    /** A log that lost its end has none of the entries any more that were read, or others. */
    private void mustFollow(Place place, long stampBefore) {
        boolean begun = place.index() > 0;
        if (place.number() > last + 1 || (begun && place.number() > last)) {
            throw Cursor.restored();
        }
        long stamp = begun && !entries.isEmpty() ? entries.getFirst().stamp : stampBefore;
        // What cannot be read, or was dropped, is not compared.
        if (place.mark() != 0 && stamp != 0 && place.mark() != LogPlaces.mark(stamp)) {
            throw Cursor.restored();
        }
    }

    /** Asks for more than was read so far. */
    void askOn(Packer out, int events, int bytes) {
        ask(out, Optional.of(new Place(nextNumber(), 0, 0)), events, bytes);
    }

    private long nextNumber() {
        return entries.isEmpty() ? start.number() : entries.getLast().number + 1;
    }

    /** Adds what follows what was read so far. */
    void extend(Told told, int newLook) {
        long number = nextNumber();
        for (var packed : told.answer().at(3).list()) {
            entries.add(entry(number++, packed, newLook));
        }
        last = told.answer().at(1).number();
        bound =
                Math.max(
                        told.now().toEpochMilli() * STAMPS_IN_A_MILLISECOND,
                        told.answer().at(5).number());
        look = newLook;
        skipFinished();
    }

    /** Where the log of a partition ends, or where what is kept of it begins. */
    static Place edge(Told told, boolean end) {
        var answer = told.answer();
        return end
                ? new Place(answer.at(1).number() + 1, 0, LogPlaces.mark(answer.at(5).number()))
                : new Place(answer.at(0).number() + 1, 0, 0);
    }

    private static Entry entry(long number, Item packed, int look) {
        var told = LoggedEntry.read(packed);
        return new Entry(number, told.stamp(), told.events(), look);
    }

    Partition partition() {
        return partition;
    }

    EventDecoder decoder() {
        return decoder;
    }

    /** What is written later into this log has no lower stamp than this. */
    long bound() {
        return bound;
    }

    /** Which look at the logs was the last at this one. */
    int look() {
        return look;
    }

    /** Whether work with an id of this partition ever lay elsewhere. */
    boolean isStrayed() {
        return strayed;
    }

    static boolean isStrayed(Told told) {
        return told.answer().at(6).truth();
    }

    /** Whether there is more in the log than was read. */
    boolean isCut() {
        return nextNumber() <= last;
    }

    /** Whether everything in it was taken. */
    boolean isExhausted() {
        return entry == entries.size();
    }

    /** The stamp of the next event: higher than that of any that it could have observed. */
    long nextStamp() {
        return entries.get(entry).stamp;
    }

    /** With which look the next event was read. */
    int nextLook() {
        return entries.get(entry).look;
    }

    /** The next event, which is then taken. */
    LoggedEvent take() {
        var current = entries.get(entry);
        var event = new LoggedEvent(current.number, index, current.events.get(index));
        index++;
        skipFinished();
        return event;
    }

    private void skipFinished() {
        while (entry < entries.size() && index >= entries.get(entry).events.size()) {
            entry++;
            index = 0;
        }
    }

    /** Where it begins. */
    Place start() {
        return start;
    }

    /** Where the reader is. */
    Place place() {
        if (entries.isEmpty()) {
            return start;
        }
        if (!isExhausted() && (index > 0 || entry == 0)) {
            var current = entries.get(entry);
            int mark = index > 0 ? LogPlaces.mark(current.stamp) : start.mark();
            return new Place(current.number, index, mark);
        }
        var before = entries.get(entry - 1);
        return new Place(before.number + 1, 0, LogPlaces.mark(before.stamp));
    }
}
