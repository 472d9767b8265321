package io.flowfabric.faults;

import java.time.Duration;
import java.util.List;
import java.util.regex.Pattern;

/**
 * What a {@link Soak} is told.
 *
 * @param length for how long work is submitted; what is there then is brought to its end
 * @param seed of the first fire; the others count on from it
 */
record SoakOptions(Duration length, long seed) {
    private static final Pattern LENGTH = Pattern.compile("([0-9]{1,6})([smh])");
    private static final SoakOptions DEFAULT = new SoakOptions(Duration.ofMinutes(10), 1);
    private static final Duration OFTEN = Duration.ofSeconds(5);

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
                        case "--for" -> new SoakOptions(length(value), options.seed);
                        case "--seed" -> new SoakOptions(options.length, number(value));
                        default ->
                                throw new IllegalArgumentException(
                                        "soak does not know '%s'; it takes --for 10m and --seed 1."
                                                .formatted(word));
                    };
        }
        return options;
    }

    /** How often a line tells how it goes. */
    Duration tellEvery() {
        return length.compareTo(OFTEN) < 0 ? Duration.ofSeconds(1) : OFTEN;
    }

    private static Duration length(String text) {
        var matcher = LENGTH.matcher(text);
        if (!matcher.matches()) {
            throw new IllegalArgumentException(
                    "--for takes a length such as 30s, 10m or 2h, and not '%s'.".formatted(text));
        }
        long count = Long.parseLong(matcher.group(1));
        return switch (matcher.group(2)) {
            case "s" -> Duration.ofSeconds(count);
            case "m" -> Duration.ofMinutes(count);
            default -> Duration.ofHours(count);
        };
    }

    private static long number(String text) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            throw new IllegalArgumentException(
                    "--seed takes a whole number, and not '%s'.".formatted(text), e);
        }
    }
}
