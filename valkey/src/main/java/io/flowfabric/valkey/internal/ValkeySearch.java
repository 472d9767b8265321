package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.core.query.TimeRange;
import io.flowfabric.core.state.Situation;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/**
 * How executions are found.
 *
 * <p>The server goes along the indexes that have the fewest others, in the order of submission, and
 * tells what fits as far as its record says. Everything else is looked at here, portion by portion,
 * until a page is full or has cost enough.
 */
final class ValkeySearch {
    /** How many executions a page looks at before it is given out as it is. */
    private static final int BUDGET = 4_000;

    /** How many are looked at in one call, and how many are told. */
    private static final int LOOK = 1_000;

    private static final int PORTION = 256;

    /** What is told although the page has no room for it: it may not fit after all. */
    private static final int SPARE = 64;

    private final ValkeyContext valkey;

    ValkeySearch(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /** What is asked for, between two places. */
    record Stretch(Search search, SubmissionPlace low, SubmissionPlace high) {
        static Stretch of(Search search) {
            return new Stretch(
                    search,
                    place(search.submitted().from()).orElse(SubmissionPlace.FIRST),
                    place(search.submitted().to()).orElse(SubmissionPlace.LAST));
        }

        private static Optional<SubmissionPlace> place(Optional<Instant> moment) {
            return moment.map(SubmissionPlace::at);
        }

        boolean newestFirst() {
            return search.order() == Search.Order.NEWEST_FIRST;
        }

        Stretch after(SubmissionPlace place) {
            return newestFirst()
                    ? new Stretch(search, low, high.orSooner(place))
                    : new Stretch(search, low.orLater(place.next()), high);
        }

        /** What is there from a place on, with what is in that very place. */
        Stretch from(SubmissionPlace place) {
            return newestFirst()
                    ? new Stretch(search, low, high.orSooner(place.next()))
                    : new Stretch(search, low.orLater(place), high);
        }
    }

    record Found(SubmissionPlace place, ExecutionView view) {}

    /**
     * What was found in one partition.
     *
     * @param last up to where everything was, if there may be more behind it
     */
    record Part(List<Found> items, Optional<SubmissionPlace> last) {}

    Page<ExecutionView> page(Search search, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var spread = valkey.spread(search.namespace());
        if (spread.isWide()) {
            return new SpreadSearch(this, spread).page(search, after, max);
        }
        var stretch = Stretch.of(search);
        if (!after.equals(Cursor.START)) {
            stretch = stretch.after(SubmissionPlace.of(after));
        }
        var part = look(spread.main(), stretch, max);
        return page(part.items, part.last);
    }

    /** Looks into one partition. */
    Part look(Partition home, Stretch stretch, int max) {
        var items = new ArrayList<Found>();
        var rest = Optional.of(stretch);
        int looked = 0;
        while (rest.isPresent()) {
            var told = ask(home, rest.get(), Math.min(PORTION, max - items.size() + SPARE));
            read(told, stretch.search, items);
            looked += told.answer().at(2).small();
            if (items.size() > max) {
                return new Part(items.subList(0, max), Optional.of(items.get(max - 1).place));
            }
            var last = told.answer().at(1).optional(SubmissionPlace::read);
            if (last.isPresent() && looked >= BUDGET) {
                return new Part(items, last);
            }
            rest = last.map(rest.get()::after);
        }
        return new Part(items, Optional.empty());
    }

    private static Page<ExecutionView> page(List<Found> items, Optional<SubmissionPlace> last) {
        return new Page<>(
                items.stream().map(Found::view).toList(),
                last.map(SubmissionPlace::cursor).orElse(Cursor.END));
    }

    private static void read(ValkeyContext.Told told, Search search, List<Found> items) {
        var around = Surroundings.read(told.answer().at(3), told.now());
        for (var entry : told.answer().at(0).list()) {
            var place = SubmissionPlace.read(entry.at(1), entry.at(2));
            view(entry, around).filter(search::fits).ifPresent(v -> items.add(new Found(place, v)));
        }
    }

    /** An execution as it reads; nothing when it cannot be read. */
    private static Optional<ExecutionView> view(Item entry, Surroundings around) {
        try {
            return Optional.of(Item.decoded(() -> readable(entry, around)));
        } catch (Item.Unreadable damaged) {
            return Optional.empty();
        }
    }

    private static ExecutionView readable(Item entry, Surroundings around) {
        var row = ExecutionFields.read(entry.at(0).uuid(), entry.at(3).bytes());
        var details = entry.at(4).list();
        return new StoredExecution(row, StoredExecution.VIEWED, details).view(around);
    }

    private ValkeyContext.Told ask(Partition home, Stretch stretch, int most) {
        var search = stretch.search;
        var situations = situations(search);
        return valkey.read(
                "search",
                home,
                out -> {
                    out.list(8);
                    where(out, search, situations);
                    out.bytes(stretch.low.bytes())
                            .bytes(stretch.high.bytes())
                            .truth(stretch.newestFirst())
                            .number(LOOK)
                            .number(most)
                            .text(StoredExecution.VIEWED);
                    filter(out, search, situations);
                });
    }

    private static void where(Packer out, Search search, Set<Situation> situations) {
        var groups = new TreeSet<Integer>();
        situations.forEach(one -> groups.add(one.terminal() ? Codes.SITUATIONS.of(one) : 0));
        var tag = search.tags().values().entrySet().stream().findFirst();
        out.list(5)
                .text(search.namespace().name())
                .optional(search.lane(), Packer::text)
                .list(groups, (o, group) -> o.number(group))
                .optional(tag, (o, one) -> o.text(one.getKey() + "=" + one.getValue()))
                .optional(search.worker(), Packer::text);
    }

    private static void filter(Packer out, Search search, Set<Situation> situations) {
        TimeRange changed = search.changed();
        out.list(5)
                .list(situations, (o, one) -> o.number(Codes.SITUATIONS.of(one)))
                .truth(search.lapsed())
                .optional(search.partition().map(Partition::number), (o, n) -> o.number(n))
                .optional(changed.from().map(ValkeySearch::ceiling), (o, at) -> o.number(at))
                .optional(changed.to().map(ValkeySearch::ceiling), (o, at) -> o.number(at));
    }

    /** The first whole millisecond that is not before a moment. */
    private static long ceiling(Instant moment) {
        return SubmissionPlace.at(moment).submitted();
    }

    /** The situations that what is asked for can be stored in. */
    private static Set<Situation> situations(Search search) {
        var situations = EnumSet.noneOf(Situation.class);
        for (var situation : Situation.values()) {
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
}
