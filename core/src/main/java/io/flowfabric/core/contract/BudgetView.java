package io.flowfabric.core.contract;

import io.flowfabric.core.contract.Budget.Enforcement;

import java.time.Instant;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Stream;

/**
 * A budget as it stands.
 *
 * @param levels of each dimension
 * @param resets when everything begins at zero again
 */
public record BudgetView(Budget budget, SortedMap<String, Level> levels, Optional<Instant> resets) {
    /**
     * How much there is of one dimension.
     *
     * @param used as reported
     * @param held set aside for what runs, and not yet used
     */
    public record Level(long used, long held) {
        public static final Level ZERO = new Level(0, 0);
    }

    public BudgetView {
        var all = new TreeMap<>(levels);
        budget.dimensions().keySet().forEach(dimension -> all.putIfAbsent(dimension, Level.ZERO));
        levels = Collections.unmodifiableSortedMap(all);
    }

    /** Whether a hard limit is reached. */
    public boolean breached() {
        return budget.dimensions().keySet().stream().anyMatch(this::breached);
    }

    private boolean breached(String dimension) {
        return hard(dimension).filter(hard -> level(dimension).used >= hard).isPresent();
    }

    /**
     * What stands in the way of work that would set so much aside, in words; nothing when there is
     * room.
     */
    public Optional<String> obstacle(Map<String, Long> reserve) {
        if (budget.enforcement() == Enforcement.WARN) {
            return Optional.empty();
        }
        return budget.dimensions().keySet().stream()
                .filter(dimension -> !fits(dimension, reserve.getOrDefault(dimension, 0L)))
                .findFirst()
                .map(dimension -> inWords(dimension, reserve.getOrDefault(dimension, 0L)));
    }

    /** The dimensions of which there is not enough left for work that would set so much aside. */
    public Stream<Shut.Budget> shut(Map<String, Long> reserve) {
        return budget.enforcement() == Budget.Enforcement.WARN
                ? Stream.empty()
                : budget.dimensions().keySet().stream()
                        .filter(dimension -> !fits(dimension, reserve.getOrDefault(dimension, 0L)))
                        .map(Shut.Budget::new);
    }

    private boolean fits(String dimension, long reserve) {
        var level = level(dimension);
        return !breached(dimension)
                && hard(dimension)
                        .map(hard -> level.used + level.held + reserve <= hard)
                        .orElse(true);
    }

    private String inWords(String dimension, long reserve) {
        var level = level(dimension);
        var facts =
                "budget %s: %s %,d of %,d used"
                        .formatted(
                                budget.name(),
                                dimension,
                                level.used,
                                hard(dimension).orElseThrow());
        if (!breached(dimension)) {
            facts += ", %,d set aside, %,d needed".formatted(level.held, reserve);
        }
        return facts + resets.map(at -> ", resets at " + at).orElse("");
    }

    private Level level(String dimension) {
        return Objects.requireNonNull(levels.get(dimension));
    }

    private Optional<Long> hard(String dimension) {
        return Objects.requireNonNull(budget.dimensions().get(dimension)).hard();
    }
}
