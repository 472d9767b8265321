package io.flowfabric.faults;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * What a {@link Soak} is told.
 *
 * @param store on which server it is
 * @param length for how long work is submitted and things are broken; what is there then is brought
 *     to its end
 * @param kills after how many killed processes it ends instead; with it, processes are killed as
 *     fast as they come back
 * @param slack how late work may be while nothing is broken: more on a machine that is busy with
 *     other things
 * @param seed decides what is submitted, and what is broken when
 */
record SoakOptions(
        StoreKind store, Duration length, Optional<Integer> kills, Duration slack, long seed) {
    private static final SoakOptions DEFAULT =
            new SoakOptions(
                    StoreKind.POSTGRES,
                    Duration.ofMinutes(10),
                    Optional.empty(),
                    Duration.ofSeconds(5),
                    1);

    /** Longer than any number of kills takes. */
    private static final Duration LONGEST = Duration.ofDays(7);

    private static final String USAGE =
            "--store postgres, --minutes 10, --kills 1000, --slack 5 and --seed 1";

    /**
     * Reads the words after {@code ./ff soak}.
     *
     * @throws IllegalArgumentException with a sentence that says what is wrong
     */
    static SoakOptions parse(List<String> words) {
        var options = DEFAULT;
        for (int i = 0; i < words.size(); i += 2) {
            var word = words.get(i);
            var value = i + 1 < words.size() ? words.get(i + 1) : "";
            options = options.with(word, value);
        }
        return options;
    }

    private SoakOptions with(String word, String value) {
        return switch (word) {
            // Parts of a minute are for tests.
            case "--minutes" ->
                    new SoakOptions(
                            store,
                            Duration.ofMillis((long) (60_000 * positive(word, value))),
                            kills,
                            slack,
                            seed);
            case "--kills" ->
                    new SoakOptions(
                            store, LONGEST, Optional.of((int) positive(word, value)), slack, seed);
            case "--slack" ->
                    new SoakOptions(
                            store,
                            length,
                            kills,
                            Duration.ofMillis((long) (1000 * positive(word, value))),
                            seed);
            case "--seed" ->
                    new SoakOptions(store, length, kills, slack, (long) positive(word, value));
            case "--store" -> new SoakOptions(StoreKind.of(value), length, kills, slack, seed);
            default ->
                    throw new IllegalArgumentException(
                            "soak does not know '%s'; it takes %s.".formatted(word, USAGE));
        };
    }

    private static double positive(String word, String text) {
        try {
            double number = Double.parseDouble(text);
            if (number > 0 && number <= 1_000_000) {
                return number;
            }
        } catch (NumberFormatException e) {
            // It is told below.
        }
        throw new IllegalArgumentException(
                "%s takes a number above 0, and not '%s'.".formatted(word, text));
    }
}
