package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Tags;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.valkey.internal.LogPlaces.Place;
import io.flowfabric.valkey.internal.ValkeyContext.Told;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * Everything that happened, from the logs of all partitions in use.
 *
 * <p>The log of a partition is in exact order; those of several are {@link MergedLogs merged}.
 */
public final class ValkeyFeeds implements Feeds {
    /** At so many events one call looks, at least: to look at fewer costs as much. */
    private static final int LOOK = 256;

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
            return new Batch(List.of(), ends(filter).cursor(), false);
        }
        boolean start = after.equals(Cursor.START);
        var places = start ? LogPlaces.of(Map.of()) : LogPlaces.of(after);
        return deliver(filter, places, logs(filter, places, start), max);
    }

    @Override
    public Cursor beginning() {
        var all = valkey.partitions().inUse();
        return places(all, edges(all), false).cursor();
    }

    private LogPlaces ends(FeedFilter filter) {
        var homes = homes(filter);
        var wanted = homes.orElseGet(() -> wanted(filter));
        var edges = edges(wanted);
        if (homes.isEmpty() && (wanted.isEmpty() || isAnyStrayed(edges) || isAnySpread(wanted))) {
            wanted = valkey.partitions().inUse();
            edges = edges(wanted);
        }
        return places(wanted, edges, true);
    }

    private List<Told> edges(List<Partition> partitions) {
        return valkey
                .readEach(
                        "follow",
                        partitions,
                        valkey.patience(),
                        (out, partition) -> LogPortion.ask(out, Optional.empty(), 0, 0))
                .stream()
                .map(Answer::orThrow)
                .toList();
    }

    /** Whether work with ids of these lies in other partitions of its namespace. */
    private boolean isAnySpread(List<Partition> wanted) {
        valkey.spreads().readAgain();
        return wanted.stream().anyMatch(one -> !valkey.spreads().at(one).isEmpty());
    }

    private static boolean isAnyStrayed(List<Told> edges) {
        return edges.stream().anyMatch(LogPortion::isStrayed);
    }

    private static LogPlaces places(List<Partition> partitions, List<Told> edges, boolean end) {
        var places = new HashMap<Partition, Place>();
        for (int n = 0; n < partitions.size(); n++) {
            places.put(partitions.get(n), LogPortion.edge(edges.get(n), end));
        }
        return LogPlaces.of(places);
    }

    /** The only partitions in which there may be something that fits, if that is known. */
    private Optional<List<Partition>> homes(FeedFilter filter) {
        return filter.namespace()
                .or(() -> filter.lane().map(lane -> lane.namespace()))
                .map(namespace -> valkey.spread(namespace).all());
    }

    private static List<Partition> wanted(FeedFilter filter) {
        return filter.partitions().stream()
                .sorted(Comparator.comparingInt(Partition::number))
                .toList();
    }

    /** The logs of all partitions in which there may be something that fits. */
    private MergedLogs logs(FeedFilter filter, LogPlaces places, boolean start) {
        // What was not in use when the cursor was given out is read from its first event on.
        Function<Partition, Optional<Place>> from =
                start ? one -> Optional.empty() : one -> Optional.of(places.orFirst(one));
        var homes = homes(filter);
        if (homes.isPresent()) {
            return some(homes.get(), from);
        }
        var wanted = wanted(filter);
        if (wanted.isEmpty() || !wanted.containsAll(places.all()) || isAnySpread(wanted)) {
            return all(from);
        }
        var narrowed = some(wanted, from);
        if (narrowed.portions().stream().noneMatch(LogPortion::isStrayed)) {
            return narrowed;
        }
        // Work with ids of these lies elsewhere, or did, but not when the cursor was given out.
        return all(places::in);
    }

    private MergedLogs some(List<Partition> partitions, Function<Partition, Optional<Place>> from) {
        var some = new MergedLogs(valkey, Optional.empty());
        some.add(partitions, from);
        return some;
    }

    private MergedLogs all(Function<Partition, Optional<Place>> from) {
        var listing = valkey.partitions().listing();
        var all = new MergedLogs(valkey, Optional.of(listing));
        all.add(listing.partitions(), from);
        return all;
    }

    private Batch deliver(FeedFilter filter, LogPlaces places, MergedLogs logs, int max) {
        logs.portions().forEach(it -> places.set(it.partition(), it.start()));
        var merged = merged(logs, Math.max(LOOK, max));
        prepare(filter, merged);
        var entries = new ArrayList<Entry>();
        for (var next : merged) {
            Optional<Event> event =
                    next.event.isOfPart()
                            ? Optional.empty()
                            : next.from.decoder().decode(next.event);
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
        logs.portions().forEach(it -> places.set(it.partition(), it.place()));
        return new Batch(entries, places.cursor(), logs.isMore());
    }

    private static List<Next> merged(MergedLogs logs, int most) {
        var merged = new ArrayList<Next>();
        while (merged.size() < most) {
            var first = logs.next();
            if (first.isEmpty()) {
                break;
            }
            var portion = first.get();
            var event = portion.take();
            merged.add(new Next(portion, event, portion.place()));
        }
        return merged;
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
