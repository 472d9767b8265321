package io.flowfabric.mutation;

import java.util.List;
import java.util.function.Predicate;

/**
 * What to try.
 *
 * @param sample how many changes, chosen at random; all of them if there are fewer
 * @param only changes whose description contains this
 */
record Options(int sample, long seed, String only) {
    private static final Options ALL = new Options(Integer.MAX_VALUE, 1, "");

    static Options parse(List<String> words) {
        var options = ALL;
        for (int i = 0; i < words.size(); i += 2) {
            if (i + 1 == words.size()) {
                throw refusal(words.get(i) + " needs a value");
            }
            var value = words.get(i + 1);
            options =
                    switch (words.get(i)) {
                        case "--sample" ->
                                new Options(
                                        (int) number(value, n -> n > 0 && n <= Integer.MAX_VALUE),
                                        options.seed,
                                        options.only);
                        case "--seed" ->
                                new Options(options.sample, number(value, n -> true), options.only);
                        case "--only" -> new Options(options.sample, options.seed, value);
                        default -> throw refusal("it does not know '" + words.get(i) + "'");
                    };
        }
        return options;
    }

    private static long number(String value, Predicate<Long> fits) {
        try {
            long number = Long.parseLong(value);
            if (fits.test(number)) {
                return number;
            }
        } catch (NumberFormatException e) {
            // It is refused below, like a number that is too large.
        }
        throw refusal("'" + value + "' is no number that it can use");
    }

    private static Misused refusal(String why) {
        return new Misused(
                ("mutate statements: %s; it takes --sample 200, --seed 1 and --only step.sql (a"
                                + " file, a statement, or any words of a change).")
                        .formatted(why));
    }
}
