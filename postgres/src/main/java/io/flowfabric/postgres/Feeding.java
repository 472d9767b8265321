package io.flowfabric.postgres;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.contract.FeedFilter;
import io.flowfabric.core.contract.Feeds;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;

/**
 * Everything that happened, in portions between two snapshots of the database.
 *
 * <p>Event ids are drawn before their transaction commits, so a reader that only remembered the
 * highest one would miss what commits late. A cursor therefore remembers which transactions it has
 * seen, as a snapshot; the next portion is what a newer snapshot sees and that one did not. Within
 * a portion the ids, drawn under the lock of the row they are about, give the order.
 */
final class Feeding implements Feeds {
    private final Postgres postgres;

    Feeding(Postgres postgres) {
        this.postgres = postgres;
    }

    /**
     * Where a reader is.
     *
     * @param seen everything that this snapshot sees was delivered; empty when nothing was
     * @param target the snapshot that the current portion goes up to; empty when a new portion is
     *     to begin
     * @param last the last event of the current portion that was delivered
     * @param known the highest event when the portion before ended: when more than that was
     *     dropped, something was missed
     */
    private record Place(String seen, String target, long last, long known) {
        private static final Pattern SNAPSHOT =
                Pattern.compile("([0-9]{1,19}:[0-9]{1,19}:[0-9,]*)?");

        static Place of(Cursor cursor) {
            var fields =
                    List.of(
                            new String(cursor.position(Cursor.Purpose.FEED), StandardCharsets.UTF_8)
                                    .split("\\|", -1));
            if (fields.size() != 4
                    || !SNAPSHOT.matcher(fields.get(0)).matches()
                    || !SNAPSHOT.matcher(fields.get(1)).matches()) {
                throw Cursor.malformed();
            }
            try {
                return new Place(
                        fields.get(0),
                        fields.get(1),
                        Long.parseLong(fields.get(2)),
                        Long.parseLong(fields.get(3)));
            } catch (NumberFormatException notOurs) {
                throw Cursor.malformed();
            }
        }

        Cursor cursor() {
            var text = String.join("|", seen, target, Long.toString(last), Long.toString(known));
            return Cursor.at(Cursor.Purpose.FEED, text.getBytes(StandardCharsets.UTF_8));
        }

        Place at(long event) {
            return new Place(seen, target, event, known);
        }
    }

    /** What there is now. */
    private record Now(String snapshot, long last, long dropped) {}

    @Override
    public Batch read(FeedFilter filter, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var now = now();
        if (after.none()) {
            return new Batch(List.of(), new Place(now.snapshot, "", 0, now.last).cursor());
        }
        var place = Place.of(after);
        if (now.dropped > Math.max(place.known, place.seen.isEmpty() ? place.last : 0)) {
            throw Cursor.expired();
        }
        var entries = new ArrayList<Entry>();
        if (!place.target.isEmpty()) {
            place = portion(filter, place, max, entries);
        }
        // What was begun is exhausted, or nothing was: go on with what has committed since.
        if (place.target.isEmpty() && entries.size() < max) {
            var next = new Place(place.seen, now.snapshot, place.last, place.known);
            place = portion(filter, next, max - entries.size(), entries);
        }
        return new Batch(entries, place.cursor());
    }

    /** Delivers some of a portion, and says where the reader is then. */
    private Place portion(FeedFilter filter, Place place, int max, List<Entry> entries) {
        var reader = new EventReader();
        var rows = new int[1];
        var lastRow = new long[] {place.last};
        var query =
                place.seen.isEmpty()
                        ? postgres.db().query("feed_from_the_beginning")
                        : postgres.db().query("feed_since").set("since", place.seen);
        query.set("target", place.target)
                .set("after", place.last)
                .set("max", max)
                .each(
                        row -> {
                            rows[0]++;
                            lastRow[0] = row.longValue("id");
                            reader.add(row);
                        });
        for (var read : reader.read(postgres.db(), postgres.catalog())) {
            if (filter.fits(read.event(), read.tags())) {
                entries.add(new Entry(read.event(), place.at(read.id()).cursor()));
            }
        }
        return rows[0] == max
                ? place.at(lastRow[0])
                : new Place(place.target, "", 0, Math.max(lastRow[0], place.known));
    }

    @Override
    public Cursor beginning() {
        var now = now();
        return new Place("", "", now.dropped, now.dropped).cursor();
    }

    private Now now() {
        return postgres.db()
                .query("feed_now")
                .one(
                        row ->
                                new Now(
                                        row.text("snapshot"),
                                        row.longValue("last"),
                                        row.longValue("dropped")));
    }
}
