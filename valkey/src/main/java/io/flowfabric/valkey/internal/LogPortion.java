package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.LogPlaces.Place;
import io.flowfabric.valkey.internal.wire.Item;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A portion of the log of one partition, from a place on, as it is read event by event. */
final class LogPortion {
    private final Partition partition;
    private final EventDecoder decoder;
    private final Instant now;
    private final List<Entry> entries;
    private final boolean cut;
    private final Place start;
    private int entry;
    private int index;

    private record Entry(long number, Instant at, long stamp, List<Item> events) {}

    private LogPortion(
            Partition partition,
            EventDecoder decoder,
            Instant now,
            List<Entry> entries,
            boolean cut,
            Place start) {
        this.partition = partition;
        this.decoder = decoder;
        this.now = now;
        this.entries = entries;
        this.cut = cut;
        this.start = start;
        this.index = start.index();
        skipFinished();
    }

    /**
     * Reads a portion.
     *
     * @param from where it begins; nothing for everything that is kept
     * @param most how many entries at most
     */
    static LogPortion read(
            ValkeyContext valkey, Partition partition, Optional<Place> from, int most) {
        var told =
                valkey.read(
                        "follow",
                        partition,
                        out ->
                                out.list(2)
                                        .optional(from, (o, place) -> o.number(place.number()))
                                        .number(most));
        long dropped = told.answer().at(0).number();
        long last = told.answer().at(1).number();
        long first = told.answer().at(2).number();
        if (first <= dropped) {
            throw Cursor.expired();
        }
        if (first > last + 1 || (first > last && from.filter(it -> it.index() > 0).isPresent())) {
            throw Cursor.restored();
        }
        var entries = new ArrayList<Entry>();
        for (var packed : told.answer().at(3).list()) {
            entries.add(entry(first + entries.size(), packed, told.now()));
        }
        return new LogPortion(
                partition,
                new EventDecoder(valkey, partition),
                told.now(),
                entries,
                first + entries.size() <= last,
                from.orElse(new Place(first, 0)));
    }

    /** Where the log of a partition ends, or where what is kept of it begins. */
    static Place edge(ValkeyContext valkey, Partition partition, boolean end) {
        var told = valkey.read("follow", partition, out -> out.list(2).absent().number(0)).answer();
        return new Place(told.at(end ? 1 : 0).number() + 1, 0);
    }

    /** An entry that cannot be read is empty. */
    private static Entry entry(long number, Item packed, Instant now) {
        try {
            var told = Item.read(packed.bytes());
            return new Entry(number, told.at(0).moment(), told.at(2).number(), told.at(1).list());
        } catch (Item.Unreadable damaged) {
            return new Entry(number, now, 0, List.of());
        }
    }

    Partition partition() {
        return partition;
    }

    EventDecoder decoder() {
        return decoder;
    }

    /** When it was read. */
    Instant now() {
        return now;
    }

    /** Whether there is more in the log than was read. */
    boolean isCut() {
        return cut;
    }

    /** Whether everything in it was taken. */
    boolean isExhausted() {
        return entry == entries.size();
    }

    /** When the next event was written. */
    Instant nextAt() {
        return entries.get(entry).at;
    }

    /** The stamp of the next event: higher than that of any that it could have observed. */
    long nextStamp() {
        return entries.get(entry).stamp;
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
        return isExhausted()
                ? new Place(entries.getLast().number + 1, 0)
                : new Place(entries.get(entry).number, index);
    }
}
