package io.flowfabric.faults;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/**
 * What a {@link Soak} is told.
 *
 * @param length for how long work is submitted and things are broken; what is there then is brought
 *     to its end
 * @param kills after how many killed processes it ends instead; with it, processes are killed as
 *     fast as they come back
 * @param seed decides what is submitted, and what is broken when
 */
record SoakOptions(Duration length, Optional<Integer> kills, long seed) {
    private static final SoakOptions DEFAULT =
            new SoakOptions(Duration.ofMinutes(10), Optional.empty(), 1);

    /** Longer than any number of kills takes. */
    private static final Duration LONGEST = Duration.ofDays(7);

    private static final String USAGE = "--minutes 10, --kills 1000 and --seed 1";

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
            options =
                    switch (word) {
                        case "--minutes" ->
                                new SoakOptions(minutes(value), options.kills, options.seed);
                        case "--kills" ->
                                new SoakOptions(LONGEST, Optional.of(kills(value)), options.seed);
                        case "--seed" ->
                                new SoakOptions(
                                        options.length,
                                        options.kills,
                                        number(word, value, Long::valueOf, "1"));
                        default ->
                                throw new IllegalArgumentException(
                                        "soak does not know '%s'; it takes %s."
                                                .formatted(word, USAGE));
                    };
        }
        return options;
    }

    private static int kills(String text) {
        int kills = number("--kills", text, Integer::valueOf, "1000");
        if (kills < 1) {
            throw new IllegalArgumentException(
                    "--kills takes a number above 0, and not '%s'.".formatted(text));
        }
        return kills;
    }

    /** Parts of a minute are for tests. */
    private static Duration minutes(String text) {
        double minutes = number("--minutes", text, Double::valueOf, "10");
        if (!(minutes > 0 && minutes <= LONGEST.toMinutes())) {
            throw new IllegalArgumentException(
                    "--minutes takes a number above 0, and not '%s'.".formatted(text));
        }
        return Duration.ofMillis((long) (minutes * 60_000));
    }

    private static <N extends Number> N number(
            String word, String text, Function<String, N> parser, String example) {
        try {
            return parser.apply(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "%s takes a number such as %s, and not '%s'.".formatted(word, example, text),
                    e);
        }
    }
}
