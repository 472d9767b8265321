package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Tags;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.postgres.internal.PostgresContext;
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
 *
 * <p>A portion is read along the ids, a bounded number of them at a time, however much the reader
 * has missed. What the snapshot before saw has no higher ids than a known one. So a portion begins
 * with the few events below it, of transactions that were open then, which are found by their
 * transactions; above it everything is new.
 */
public final class PostgresFeeds implements Feeds {
    /** How many ids one step looks at, at least: to look at fewer costs as much. */
    private static final int STEP = 256;

    /** How much farther each step looks when the one before found too little. */
    private static final int GROWTH = 8;

    /** After so many steps the reader is told what there is so far, and asks again. */
    private static final int STEPS = 5;

    private final PostgresContext postgres;
    private final LogIncarnation origin;
    private final Summaries summaries;
    private final QuietPositions quiet = new QuietPositions();

    public PostgresFeeds(PostgresContext postgres, LogIncarnation origin) {
        this.postgres = postgres;
        this.origin = origin;
        this.summaries = new Summaries(postgres);
    }

    /**
     * What an answer about the log says besides the events: all as of one snapshot.
     *
     * @param dropped up to this event
     * @param droppedTransaction the highest one of which events were dropped, or that dropped some;
     *     0 when none were
     * @param restored up to this one they were written elsewhere
     * @param last no event has a higher id
     */
    private record Log(
            String server,
            long era,
            long dropped,
            long droppedTransaction,
            long restored,
            Snapshot now,
            long last) {
        static Log of(Row row) {
            return new Log(
                    row.text("server"),
                    row.longValue("era"),
                    row.longValue("dropped"),
                    row.longValue("dropped_transaction"),
                    row.longValue("restored"),
                    Snapshot.of(row.text("now")),
                    row.longValue("last"));
        }
    }

    /**
     * What there is now.
     *
     * @param newest the highest transaction of which there are events, or were
     */
    private record Now(Log log, Optional<Long> newest) {}

    /** Some rows of the log, in order. */
    private static final class Rows {
        private final EventReader reader = new EventReader();
        private @Nullable Log log;
        private boolean lost;
        private @Nullable String glance;
        private int count;
        private long last;
        private long newest;

        /** The glance at which nothing was behind the position that is read from. */
        private final @Nullable String quietAt;

        Rows(long newest, @Nullable String quietAt) {
            this.newest = newest;
            this.quietAt = quietAt;
        }

        /** There is always a row, and in the only one there may be no event. */
        void add(Row row) {
            if (log == null) {
                log = Log.of(row);
                lost = row.bool("lost");
                glance = row.textOrNull("glance");
            }
            var id = row.longOrNull("id");
            if (id != null) {
                count++;
                last = id;
                if (id > log.restored) {
                    newest = Math.max(newest, row.longValue("xid"));
                }
                reader.add(row, newest);
            }
        }

        /** Whether all is as it was when nothing was there, so that no events were looked for. */
        boolean quiet() {
            return quietAt != null && quietAt.equals(glance);
        }

        Log log() {
            return Objects.requireNonNull(log, "the log has a row");
        }
    }

    @Override
    public Batch read(FeedFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        if (after.equals(Cursor.NOW)) {
            var now = now();
            var seen = now.newest.map(now.log.now::upTo).orElse(Snapshot.NOTHING);
            var place = FeedPosition.behind(now.log.era, seen, now.log.last);
            return new Batch(List.of(), place.cursor(), false);
        }
        return read(filter, after.equals(Cursor.START) ? first() : FeedPosition.of(after), max);
    }

    private Batch read(FeedFilter filter, FeedPosition after, int max) {
        if (!summaries.make()) {
            // A look would read all that has none; the reader comes back for the next of them.
            return new Batch(List.of(), after.cursor(), true);
        }
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
        return first().cursor();
    }

    private FeedPosition first() {
        var log = now().log;
        return FeedPosition.beginning(log.era, log.dropped);
    }

    /**
     * A day may have been emptied between the snapshot of what was read and the reading of it: then
     * its events are missing there, and only another look tells that they were dropped.
     */
    private void checkNothingWasDropped(FeedPosition before) {
        boolean missed =
                postgres.db()
                        .query("dropped")
                        .set("judged", text(before.judged()))
                        .one(row -> row.bool("lost") || before.missed(row.longValue("dropped")));
        if (missed) {
            throw Cursor.expired();
        }
    }

    private static @Nullable String text(Optional<Snapshot> snapshot) {
        return snapshot.map(Snapshot::toString).orElse(null);
    }

    /** Delivers some of a portion, and says where the reader is then. */
    private FeedPosition portion(
            FeedFilter filter, FeedPosition from, int max, List<Entry> entries) {
        var place = from;
        String begunAt = null;
        int left = max;
        // What is below the known one is found at once, if that was not tried before.
        long start = from.insidePortion() ? from.last() : Math.max(from.last(), from.known());
        long width = Math.max(STEP, max);
        for (int step = 1; ; step++, width *= GROWTH) {
            long bound = start + width;
            var before = place;
            int most = left;
            var rows = settled(() -> rows(filter, before, bound, most), Rows::log);
            check(place, rows);
            if (rows.quiet()) {
                return place;
            }
            checkNothingWasDropped(place);
            if (!place.insidePortion()) {
                begunAt = rows.glance;
            }
            var log = rows.log();
            place = place.begun(log.now, log.last, log.droppedTransaction);
            deliver(filter, place, rows, entries);
            left -= rows.count;
            if (left == 0) {
                return place.at(rows.last, rows.newest);
            }
            place = place.at(bound, rows.newest);
            if (bound >= place.portion().orElseThrow().end()) {
                return finished(place, begunAt);
            }
            if (step == STEPS) {
                return place;
            }
            start = bound;
        }
    }

    /**
     * @param begunAt the glance at which the portion was begun, if that was in this call and is
     *     known
     */
    private FeedPosition finished(FeedPosition place, @Nullable String begunAt) {
        var behind = place.finished();
        if (begunAt != null) {
            quiet.add(behind, begunAt);
        }
        return behind;
    }

    private void deliver(FeedFilter filter, FeedPosition place, Rows rows, List<Entry> entries) {
        for (var read : rows.reader.read(postgres.db(), postgres.catalog())) {
            if (filter.fits(read.event(), read.tags())) {
                entries.add(new Entry(read.event(), place.at(read.id(), read.newest()).cursor()));
            }
        }
    }

    private Rows rows(FeedFilter filter, FeedPosition place, long bound, int most) {
        var rows =
                new Rows(
                        place.portion().map(FeedPosition.Portion::newest).orElse(0L),
                        quiet.glance(place));
        postgres.db()
                .query("feed_events")
                .set("above", place.last())
                .set("up_to", bound)
                .set("since", text(place.since()))
                .set("target", text(place.portion().map(FeedPosition.Portion::target)))
                .set("judged", text(place.judged()))
                .set("tagged", !filter.tags().equals(Tags.NONE))
                .set("most", most)
                .set("quiet", rows.quietAt)
                .each(rows::add);
        return rows;
    }

    private static void check(FeedPosition place, Rows rows) {
        var log = rows.log();
        if (place.era() != log.era || place.isAheadOf(log.now)) {
            throw Cursor.restored();
        }
        if (rows.lost || place.missed(log.dropped)) {
            throw Cursor.expired();
        }
    }

    private Now now() {
        return settled(
                () ->
                        postgres.db()
                                .query("feed_now")
                                .one(
                                        row ->
                                                new Now(
                                                        Log.of(row),
                                                        Optional.ofNullable(
                                                                row.longOrNull("newest")))),
                Now::log);
    }

    /** Asks, and again when it was another server than before that answered. */
    private <T> T settled(Supplier<T> question, Function<T, Log> about) {
        var answer = question.get();
        while (!origin.isSettledOn(about.apply(answer).server)) {
            origin.settle();
            answer = question.get();
        }
        summaries.heardOf(about.apply(answer).last);
        return answer;
    }
}
