package io.flowfabric.postgres;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * Everything that happened, in portions between two snapshots of the database.
 *
 * <p>Event ids are drawn before their transaction commits, so a reader that only remembered the
 * highest one would miss what commits late. A cursor therefore remembers which transactions it has
 * seen, as a snapshot; the next portion is what a newer snapshot sees and that one did not. Within
 * a portion the ids, drawn under the lock of the row they are about, give the order.
 */
final class PostgresFeeds implements Feeds {
    private final PostgresContext postgres;
    private final LogIncarnation origin;

    PostgresFeeds(PostgresContext postgres, LogIncarnation origin) {
        this.postgres = postgres;
        this.origin = origin;
    }

    /**
     * What an answer about the log says besides the events: all as of one snapshot.
     *
     * @param newest the latest transaction of which there are events
     */
    private record Log(String server, long era, long dropped, Snapshot now, Optional<Long> newest) {
        static Log of(Row row) {
            return new Log(
                    row.text("server"),
                    row.longValue("era"),
                    row.longValue("dropped"),
                    Snapshot.of(row.text("now")),
                    Optional.ofNullable(row.textOrNull("newest")).map(Long::valueOf));
        }

        /**
         * What a cursor may take for seen: no transaction that is younger than any event. Their
         * numbers may be given to others after a crash, as long as nothing of them is on disk; what
         * has events that can be seen is on disk.
         */
        Snapshot seen() {
            return newest.map(now::upTo).orElse(Snapshot.NOTHING);
        }
    }

    /**
     * What there is now.
     *
     * @param last the highest event
     */
    private record Now(Log log, long last) {}

    /** Some rows of the log, in order. */
    private static final class Rows {
        private final EventReader reader = new EventReader();
        private @Nullable Log log;
        private int count;
        private long last;

        /** There is always a row, and in the only one there may be no event. */
        void add(Row row) {
            if (log == null) {
                log = Log.of(row);
            }
            var id = row.longOrNull("id");
            if (id != null) {
                count++;
                last = id;
                reader.add(row);
            }
        }

        Log log() {
            return Objects.requireNonNull(log, "the log has a horizon");
        }
    }

    @Override
    public Batch read(FeedFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        if (after.none()) {
            var now = now();
            // The highest event may have been dropped.
            long known = Math.max(now.last, now.log.dropped);
            var place = FeedPosition.behind(now.log.era, now.log.seen(), known);
            return new Batch(List.of(), place.cursor(), false);
        }
        return read(filter, FeedPosition.of(after), max);
    }

    private Batch read(FeedFilter filter, FeedPosition after, int max) {
        var entries = new ArrayList<Entry>();
        var place = portion(filter, after, max, entries);
        // What was begun is exhausted: go on with what has committed since.
        if (after.insidePortion() && !place.insidePortion() && entries.size() < max) {
            place = portion(filter, place, max - entries.size(), entries);
        }
        return new Batch(entries, place.cursor(), place.insidePortion());
    }

    @Override
    public Cursor beginning() {
        var log = now().log;
        return FeedPosition.beginning(log.era, log.dropped).cursor();
    }

    /** Delivers some of a portion, and says where the reader is then. */
    private FeedPosition portion(
            FeedFilter filter, FeedPosition place, int max, List<Entry> entries) {
        var rows = settled(() -> rows(place, max), Rows::log);
        check(place, rows.log());
        var target = place.target().orElseGet(rows.log()::seen);
        for (var read : rows.reader.read(postgres.db(), postgres.catalog())) {
            if (filter.fits(read.event(), read.tags())) {
                entries.add(new Entry(read.event(), place.at(target, read.id()).cursor()));
            }
        }
        return rows.count == max
                ? place.at(target, rows.last)
                : FeedPosition.behind(place.era(), target, Math.max(rows.last, place.known()));
    }

    private Rows rows(FeedPosition place, int max) {
        var rows = new Rows();
        query(place).set("max", max).each(rows::add);
        return rows;
    }

    private Query query(FeedPosition place) {
        var since = place.seen().map(Snapshot::toString).orElse(null);
        return since != null && !place.insidePortion()
                ? postgres.db().query("feed_since").set("since", since)
                : postgres.db()
                        .query("feed_in_order")
                        .set("since", since)
                        .set("target", place.target().map(Snapshot::toString).orElse(null))
                        .set("after", place.last());
    }

    private static void check(FeedPosition place, Log log) {
        if (place.era() != log.era || place.isAheadOf(log.now)) {
            throw Cursor.restored();
        }
        if (place.missed(log.dropped)) {
            throw Cursor.expired();
        }
    }

    private Now now() {
        return settled(
                () ->
                        postgres.db()
                                .query("feed_now")
                                .one(row -> new Now(Log.of(row), row.longValue("last"))),
                Now::log);
    }

    /** Asks, and again when it was another server than before that answered. */
    private <T> T settled(Supplier<T> question, Function<T, Log> about) {
        var answer = question.get();
        while (!origin.isSettledOn(about.apply(answer).server)) {
            origin.settle();
            answer = question.get();
        }
        return answer;
    }
}
