package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Page;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Search;
import io.flowfabric.valkey.internal.ValkeySearch.Found;
import io.flowfabric.valkey.internal.ValkeySearch.Stretch;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Optional;

/**
 * How executions are found in a namespace that is spread over several partitions: in each of them
 * by itself, and put together in the order of their submission. In the same place of two partitions
 * that of the first one comes first.
 */
final class SpreadSearch {
    private final ValkeySearch search;
    private final Spread spread;

    SpreadSearch(ValkeySearch search, Spread spread) {
        this.search = search;
        this.spread = spread;
    }

    /** A place in the order of submission, in one of the partitions by its number in the spread. */
    private record SpreadPlace(SubmissionPlace place, int part) {
        static SpreadPlace of(Cursor cursor) {
            var position = cursor.position(Cursor.Purpose.LISTING);
            if (position.length != 2 * Long.BYTES + Integer.BYTES) {
                throw Cursor.malformed();
            }
            var bytes = ByteBuffer.wrap(position);
            return new SpreadPlace(SubmissionPlace.read(bytes), bytes.getInt());
        }

        Cursor cursor() {
            return Cursor.at(
                    Cursor.Purpose.LISTING,
                    ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                            .putLong(place.submitted())
                            .putLong(place.sequence())
                            .putInt(part)
                            .array());
        }
    }

    private record Hit(SpreadPlace at, ExecutionView view) {}

    private static Comparator<SpreadPlace> order(boolean newestFirst) {
        var places = newestFirst ? SubmissionPlace.ORDER.reversed() : SubmissionPlace.ORDER;
        return Comparator.comparing(SpreadPlace::place, places).thenComparingInt(SpreadPlace::part);
    }

    Page<ExecutionView> page(Search wanted, Cursor after, int max) {
        var whole = Stretch.of(wanted);
        var order = order(whole.newestFirst());
        var begin =
                after.equals(Cursor.START)
                        ? Optional.<SpreadPlace>empty()
                        : Optional.of(SpreadPlace.of(after));
        var hits = new ArrayList<Hit>();
        Optional<SpreadPlace> bound = Optional.empty();
        var parts = spread.all();
        for (int n = 0; n < parts.size(); n++) {
            int part = n;
            var stretch = begin.map(place -> behind(whole, place, part)).orElse(whole);
            var found = search.look(parts.get(n), stretch, max);
            for (Found one : found.items()) {
                hits.add(new Hit(new SpreadPlace(one.place(), part), one.view()));
            }
            var last = found.last().map(place -> new SpreadPlace(place, part));
            bound = earlier(bound, last, order);
        }
        hits.sort(Comparator.comparing(Hit::at, order));
        // Behind where one partition was not looked into any further nothing is known.
        var known = bound;
        hits.removeIf(hit -> known.filter(end -> order.compare(hit.at, end) > 0).isPresent());
        if (hits.size() > max) {
            hits.subList(max, hits.size()).clear();
            bound = Optional.of(hits.getLast().at);
        }
        return new Page<>(
                hits.stream().map(Hit::view).toList(),
                bound.map(SpreadPlace::cursor).orElse(Cursor.END));
    }

    /** What is behind a place, in one of the partitions. */
    private static Stretch behind(Stretch whole, SpreadPlace place, int part) {
        return part <= place.part ? whole.after(place.place) : whole.from(place.place);
    }

    private static Optional<SpreadPlace> earlier(
            Optional<SpreadPlace> one, Optional<SpreadPlace> other, Comparator<SpreadPlace> order) {
        if (one.isEmpty() || other.isEmpty()) {
            return one.or(() -> other);
        }
        return order.compare(one.get(), other.get()) <= 0 ? one : other;
    }
}
