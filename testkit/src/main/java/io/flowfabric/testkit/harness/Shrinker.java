package io.flowfabric.testkit.harness;

import java.time.Duration;
import java.time.Instant;
import java.time.InstantSource;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/**
 * Finds a small part of a list that still fails (delta debugging): leaves out halves, then
 * quarters, and so on down to single items, until no single item can be left out; then pairs, for
 * items that only make sense together.
 *
 * @param longest when to stop with what was reached by then
 */
record Shrinker(Duration longest, InstantSource clock) {
    /** Longer lists have too many pairs to try. */
    private static final int PAIRS_UP_TO = 25;

    <T> List<T> shrink(List<T> failing, Predicate<List<T>> stillFails) {
        return new Search<>(stillFails, clock.instant().plus(longest)).smallest(failing);
    }

    private final class Search<T> {
        private final Predicate<List<T>> stillFails;
        private final Instant end;

        Search(Predicate<List<T>> stillFails, Instant end) {
            this.stillFails = stillFails;
            this.end = end;
        }

        List<T> smallest(List<T> failing) {
            var kept = withoutPieces(List.copyOf(failing));
            while (kept.size() <= PAIRS_UP_TO) {
                var fewer = withoutOnePair(kept);
                if (fewer.isEmpty()) {
                    break;
                }
                kept = withoutPieces(fewer.get());
            }
            return kept;
        }

        private List<T> withoutPieces(List<T> list) {
            List<T> kept = list;
            int size = Math.max(1, kept.size() / 2);
            while (!timeIsOver()) {
                var smaller = withoutPieces(kept, size);
                boolean progress = smaller.size() < kept.size();
                kept = smaller;
                if (size == 1 && !progress) {
                    break;
                }
                size = Math.max(1, size / 2);
            }
            return kept;
        }

        /** Leaves out every piece of a size that is not needed, from the end to the beginning. */
        private List<T> withoutPieces(List<T> list, int size) {
            List<T> kept = list;
            int last = (kept.size() - 1) / size * size;
            for (int from = last; from >= 0 && !timeIsOver(); from -= size) {
                var fewer = new ArrayList<>(kept);
                fewer.subList(from, Math.min(from + size, kept.size())).clear();
                if (stillFails.test(fewer)) {
                    kept = fewer;
                }
            }
            return kept;
        }

        private Optional<List<T>> withoutOnePair(List<T> list) {
            for (int first = 0; first < list.size(); first++) {
                for (int second = first + 1; second < list.size() && !timeIsOver(); second++) {
                    var fewer = new ArrayList<>(list);
                    fewer.remove(second);
                    fewer.remove(first);
                    if (stillFails.test(fewer)) {
                        return Optional.of(fewer);
                    }
                }
            }
            return Optional.empty();
        }

        private boolean timeIsOver() {
            return !clock.instant().isBefore(end);
        }
    }
}
