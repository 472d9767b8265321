package io.flowfabric.postgres.internal.query;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.state.Situation;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * How executions are found.
 *
 * <p>A page is merged from strands: indexes that have a part of the executions in the order of
 * submission. Which ones depends on what the search says. Everything else that it says is checked
 * along the way, of so many executions as a page may cost.
 */
public final class ExecutionSearch {
    /** How many executions a page looks at before it is given out as it is. */
    private static final int BUDGET = 2_000;

    private static final Set<Situation> STORED =
            Stream.of(Situation.values())
                    .filter(situation -> !situation.onlySeen())
                    .collect(Collectors.toUnmodifiableSet());

    private final PostgresContext postgres;

    public ExecutionSearch(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** A place in the order of submission. */
    private record Place(long submitted, long sequence) {
        static final Place FIRST = new Place(Long.MIN_VALUE, Long.MIN_VALUE);
        static final Place LAST = new Place(Long.MAX_VALUE, Long.MAX_VALUE);

        /** Before everything that was submitted at a moment. */
        static Place before(Instant moment) {
            return new Place(moment.toEpochMilli(), Long.MIN_VALUE);
        }

        static Place of(Cursor cursor) {
            var position = cursor.position(Cursor.Purpose.LISTING);
            if (position.length != 2 * Long.BYTES) {
                throw Cursor.malformed();
            }
            var bytes = ByteBuffer.wrap(position);
            return new Place(bytes.getLong(), bytes.getLong());
        }

        static Place of(Row row) {
            return new Place(row.longValue("submitted"), row.longValue("seq"));
        }

        Cursor cursor() {
            var bytes = ByteBuffer.allocate(2 * Long.BYTES).putLong(submitted).putLong(sequence);
            return Cursor.at(Cursor.Purpose.LISTING, bytes.array());
        }

        private static final Comparator<Place> ORDER =
                Comparator.comparingLong(Place::submitted).thenComparingLong(Place::sequence);

        Place orLater(Place other) {
            return ORDER.compare(this, other) >= 0 ? this : other;
        }

        Place orSooner(Place other) {
            return ORDER.compare(this, other) <= 0 ? this : other;
        }
    }

    /** What a strand came across: something that fits, or how far it looked. */
    private record Found(UUID id, Place place, boolean fits, boolean unfinished) {}

    /** An index to go along, and of which situation. */
    private record Source(String name, Optional<Situation> situation) {}

    public Page<ExecutionView> page(Search search, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var ids = new ArrayList<UUID>();
        var next = Optional.<Place>empty();
        var last = Optional.<Place>empty();
        for (Found found : found(search, after, max + 1)) {
            if (found.fits && ids.size() == max) {
                next = last;
                break;
            }
            if (found.fits) {
                ids.add(found.id);
            }
            last = Optional.of(found.place);
            if (found.unfinished) {
                next = last;
                break;
            }
        }
        var views = PostgresQueries.views(postgres, postgres.db(), ids);
        return new Page<>(
                ids.stream()
                        .map(views::get)
                        .filter(view -> view != null && view.isDone())
                        .map(Answer::orThrow)
                        // What holds work back from outside is known only now.
                        .filter(search::fits)
                        .toList(),
                next.map(Place::cursor).orElse(Cursor.END));
    }

    private List<Found> found(Search search, Cursor after, int max) {
        var low = search.submitted().from().map(Place::before).orElse(Place.FIRST);
        var high = search.submitted().to().map(Place::before).orElse(Place.LAST);
        if (!after.equals(Cursor.START) && search.order() == Search.Order.NEWEST_FIRST) {
            high = high.orSooner(Place.of(after));
        } else if (!after.equals(Cursor.START)) {
            low = low.orLater(Place.of(after));
        }
        var situations = situations(search);
        var sources = sources(search, situations);
        var tags =
                search.tags().values().entrySet().stream()
                        .map(tag -> tag.getKey() + "=" + tag.getValue())
                        .toList();
        var order =
                search.order() == Search.Order.NEWEST_FIRST ? Place.ORDER.reversed() : Place.ORDER;
        return postgres
                .db()
                .query("search")
                .texts("sources", sources, Source::name)
                .texts(
                        "situations",
                        sources,
                        source -> source.situation.map(RowCodec::word).orElse(null))
                .set("held", held(search, situations))
                .set("namespace", search.namespace().name())
                .set("lane", search.lane().orElse(null))
                .set("max", max)
                .set("budget", BUDGET)
                .set("newest_first", search.order() == Search.Order.NEWEST_FIRST)
                .set("low_submitted", low.submitted)
                .set("low_seq", low.sequence)
                .set("high_submitted", high.submitted)
                .set("high_seq", high.sequence)
                .set("any_state", situations.size() == STORED.size())
                .texts("states", situations, RowCodec::word)
                .set("kind", search.kind().orElse(null))
                .set("part", search.partition().map(part -> part.number()).orElse(null))
                .set("lapsed", search.lapsed())
                .set("changed_from", millis(search.changed().from()))
                .set("changed_to", millis(search.changed().to()))
                .texts("tags", tags, tag -> tag)
                .set("word", tags.isEmpty() ? null : tags.getFirst())
                .set("creator", search.creator().orElse(null))
                .set("worker", search.worker().orElse(null))
                .list(
                        row ->
                                new Found(
                                        row.uuid("id"),
                                        Place.of(row),
                                        row.bool("fits"),
                                        row.bool("unfinished")))
                .stream()
                .sorted(Comparator.comparing(Found::place, order))
                .toList();
    }

    /** The situations that what is asked for can be stored in. */
    private static Set<Situation> situations(Search search) {
        var situations = EnumSet.noneOf(Situation.class);
        for (Situation situation : Situation.values()) {
            boolean fits =
                    (search.states().isEmpty() || search.states().contains(situation.publicState()))
                            && search.reason().map(situation.reasons()::contains).orElse(true)
                            && (!search.lapsed() || situation.queued());
            if (fits) {
                // What stands behind a shut gate is stored as ready.
                situations.add(situation.onlySeen() ? Situation.READY : situation);
            }
        }
        return situations;
    }

    /** The indexes that have all of it, and the fewest others. */
    private static List<Source> sources(Search search, Set<Situation> situations) {
        if (search.worker().isPresent()) {
            return List.of();
        }
        if (!search.tags().values().isEmpty()) {
            return List.of(new Source("tagged", Optional.empty()));
        }
        return situations.stream()
                .filter(situation -> situation != Situation.RUNNING)
                .map(
                        situation ->
                                situation == Situation.READY
                                        ? new Source("ready", Optional.empty())
                                        : new Source("inactive", Optional.of(situation)))
                .toList();
    }

    /** Whether what is held is to be looked for where it is held, because no strand has it. */
    private static boolean held(Search search, Set<Situation> situations) {
        boolean stranded = search.worker().isEmpty() && !search.tags().values().isEmpty();
        return situations.contains(Situation.RUNNING) && !stranded;
    }

    private static @Nullable Long millis(Optional<Instant> moment) {
        return moment.map(Instant::toEpochMilli).orElse(null);
    }
}
