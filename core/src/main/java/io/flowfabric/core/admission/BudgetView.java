package io.flowfabric.core.admission;

import java.time.Instant;
import java.util.Collections;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.SortedMap;
import java.util.TreeMap;
import java.util.stream.Collectors;
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
        /** Nothing used, nothing set aside. */
        public static final Level ZERO = new Level(0, 0);
    }

    public BudgetView {
        var all = new TreeMap<>(levels);
        budget.dimensions().keySet().forEach(dimension -> all.putIfAbsent(dimension, Level.ZERO));
        levels = Collections.unmodifiableSortedMap(all);
    }

    /** Whether a hard limit is reached. */
    public boolean breached() {
        return dimensions().anyMatch(this::breached);
    }

    /** Which hard limit is reached, in words; nothing while none is. */
    public Optional<String> breach() {
        return dimensions().filter(this::breached).findFirst().map(this::breachInWords);
    }

    private boolean breached(String dimension) {
        return hard(dimension).filter(hard -> level(dimension).used >= hard).isPresent();
    }

    /** Whether there is room for work that would set so much aside. */
    public boolean open(Map<String, Long> reserve) {
        return obstacle(reserve).isEmpty();
    }

    /**
     * What stands in the way of work that would set so much aside, in words; nothing when there is
     * room.
     */
    public Optional<String> obstacle(Map<String, Long> reserve) {
        if (!budget.enforcement().stops()) {
            return Optional.empty();
        }
        return dimensions()
                .filter(dimension -> !fits(dimension, amount(reserve, dimension)))
                .findFirst()
                .map(dimension -> inWords(dimension, amount(reserve, dimension)));
    }

    /**
     * When there is room for it, if that takes nothing but the end of the period; nothing when it
     * depends on what others have set aside, or there is no period.
     */
    public Optional<Instant> opens(Map<String, Long> reserve) {
        var afterwards = new TreeMap<>(levels);
        afterwards.replaceAll((dimension, level) -> new Level(0, level.held));
        return resets.filter(at -> new BudgetView(budget, afterwards, resets).open(reserve));
    }

    /** The dimensions of which there is not enough left for work that would set so much aside. */
    public Stream<AdmissionBlock.Budget> shut(Map<String, Long> reserve) {
        return budget.enforcement().stops()
                ? dimensions()
                        .filter(dimension -> !fits(dimension, amount(reserve, dimension)))
                        .map(AdmissionBlock.Budget::new)
                : Stream.empty();
    }

    private boolean fits(String dimension, long reserve) {
        var level = level(dimension);
        return !breached(dimension)
                && hard(dimension)
                        .map(hard -> level.used + level.held + reserve <= hard)
                        .orElse(true);
    }

    /** How much is used of each dimension. */
    public String inWords() {
        return dimensions()
                .map(
                        dimension ->
                                "%s %s%s used"
                                        .formatted(
                                                dimension,
                                                number(level(dimension).used),
                                                hard(dimension)
                                                        .map(hard -> " of " + number(hard))
                                                        .orElse("")))
                .collect(Collectors.joining(", ", "budget %s: ".formatted(budget.name()), ""));
    }

    private String inWords(String dimension, long reserve) {
        var until = resets.map(at -> ", resets at " + at).orElse("");
        if (breached(dimension)) {
            return breachInWords(dimension) + until;
        }
        return "%s used, %s set aside, %s needed%s"
                .formatted(
                        breachInWords(dimension),
                        number(level(dimension).held),
                        number(reserve),
                        until);
    }

    private String breachInWords(String dimension) {
        return "budget %s: %s %s of %s"
                .formatted(
                        budget.name(),
                        dimension,
                        number(level(dimension).used),
                        number(hard(dimension).orElseThrow()));
    }

    private Stream<String> dimensions() {
        return budget.dimensions().keySet().stream();
    }

    private Level level(String dimension) {
        return Objects.requireNonNull(levels.get(dimension));
    }

    private Optional<Long> hard(String dimension) {
        return Objects.requireNonNull(budget.dimensions().get(dimension)).hard();
    }

    private static long amount(Map<String, Long> reserve, String dimension) {
        return reserve.getOrDefault(dimension, 0L);
    }

    private static String number(long number) {
        return String.format(Locale.ROOT, "%,d", number);
    }
}
