package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Tags;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.valkey.internal.LogPlaces.Place;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Everything that happened, from the logs of all partitions in use.
 *
 * <p>The log of a partition is in exact order. Those of several are merged by the stamps of their
 * entries, and what is newer than the earliest look at one of them waits for the next call:
 * something older may still have been on its way there.
 */
public final class ValkeyFeeds implements Feeds {
    /** At so many events one call looks, at least: to look at fewer costs as much. */
    private static final int LOOK = 256;

    /** No event waits for longer than the clocks of two servers may differ. */
    private static final Duration LONGEST_WAIT = Duration.ofSeconds(1);

    private static final Place FIRST = new Place(1, 0);

    private final ValkeyContext valkey;

    public ValkeyFeeds(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * An event in the order in which it is told.
     *
     * @param after where the reader is behind it
     */
    private record Next(LogPortion from, LoggedEvent event, Place after) {}

    @Override
    public Batch read(FeedFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        if (after.equals(Cursor.NOW)) {
            return new Batch(List.of(), edges(partitions(filter), true).cursor(), false);
        }
        boolean start = after.equals(Cursor.START);
        var places = start ? LogPlaces.of(Map.of()) : LogPlaces.of(after);
        var portions = new ArrayList<LogPortion>();
        for (var partition : partitions(filter)) {
            // What was not in use when the cursor was given out is read from its first event on.
            var from =
                    start
                            ? Optional.<Place>empty()
                            : places.in(partition).or(() -> Optional.of(FIRST));
            var portion = LogPortion.read(valkey, partition, from, Math.max(LOOK, max));
            places.set(partition, portion.start());
            portions.add(portion);
        }
        return deliver(filter, places, portions, max);
    }

    @Override
    public Cursor beginning() {
        return edges(Partitions.inUse(valkey), false).cursor();
    }

    private LogPlaces edges(List<Partition> partitions, boolean end) {
        var places = new HashMap<Partition, Place>();
        partitions.forEach(one -> places.put(one, LogPortion.edge(valkey, one, end)));
        return LogPlaces.of(places);
    }

    /** The partitions in which there may be something that fits. */
    private List<Partition> partitions(FeedFilter filter) {
        return filter.namespace()
                .or(() -> filter.lane().map(lane -> lane.namespace()))
                .map(namespace -> List.of(valkey.home(namespace)))
                .orElseGet(() -> Partitions.inUse(valkey));
    }

    private Batch deliver(FeedFilter filter, LogPlaces places, List<LogPortion> portions, int max) {
        var merged = merged(portions, Math.max(LOOK, max));
        prepare(filter, merged);
        var entries = new ArrayList<Entry>();
        for (var next : merged) {
            var event = next.from.decoder().decode(next.event);
            var tags = next.from.decoder().tags(next.event);
            boolean fits = event.filter(one -> filter.fits(one, tags)).isPresent();
            if (fits && entries.size() == max) {
                return new Batch(entries, places.cursor(), true);
            }
            places.set(next.from.partition(), next.after);
            if (fits) {
                entries.add(new Entry(event.orElseThrow(), places.cursor()));
            }
        }
        // Entries without events move the cursor too.
        portions.forEach(it -> places.set(it.partition(), it.place()));
        boolean more = next(portions).isPresent() || portions.stream().anyMatch(LogPortion::isCut);
        return new Batch(entries, places.cursor(), more);
    }

    private static List<Next> merged(List<LogPortion> portions, int most) {
        var merged = new ArrayList<Next>();
        while (merged.size() < most) {
            var first = next(portions);
            if (first.isEmpty()) {
                break;
            }
            var portion = first.get();
            var event = portion.take();
            merged.add(new Next(portion, event, portion.place()));
        }
        return merged;
    }

    /** The portion whose next event is told next; nothing when there is none, or it waits. */
    private static Optional<LogPortion> next(List<LogPortion> portions) {
        // What follows in a log of which no more was read may be older than all the others.
        if (portions.stream().anyMatch(it -> it.isExhausted() && it.isCut())) {
            return Optional.empty();
        }
        var earliest = portions.stream().map(LogPortion::now).min(Comparator.naturalOrder());
        return portions.stream()
                .filter(it -> !it.isExhausted() && !waits(it, earliest.orElseThrow()))
                .min(Comparator.comparingLong(LogPortion::nextStamp));
    }

    /** An event from the future was written before a clock was set back, and does not wait. */
    private static boolean waits(LogPortion portion, Instant earliest) {
        var at = portion.nextAt();
        return at.isAfter(earliest)
                && !at.isAfter(portion.now())
                && at.isBefore(earliest.plus(LONGEST_WAIT));
    }

    private static void prepare(FeedFilter filter, List<Next> merged) {
        var events = new HashMap<LogPortion, List<LoggedEvent>>();
        merged.forEach(
                next ->
                        events.computeIfAbsent(next.from, first -> new ArrayList<>())
                                .add(next.event));
        boolean tagged = !filter.tags().equals(Tags.NONE);
        events.forEach((portion, some) -> portion.decoder().prepare(some, tagged));
    }
}
