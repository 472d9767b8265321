package io.flowfabric.bench;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the command line asks for.
 *
 * @param quick less of everything: to see that nothing broke, not to publish
 * @param heldSnapshot whether the drain is measured with a snapshot held open elsewhere
 * @param json where the figures go, besides the screen
 * @param executions how many one repetition does, if it was said
 * @param repetitions how often everything is measured, if it was said
 * @param workers how many handlers or threads each contender runs at once
 */
record Arguments(
        Bench bench,
        boolean quick,
        boolean heldSnapshot,
        Optional<Path> json,
        Optional<Integer> executions,
        Optional<Integer> repetitions,
        int workers) {

    static final String USAGE =
            "bench drain | submit | idle | growth | retention | enqueue | admission | routing |"
                    + " keys | sessions | catchup [--quick] [--json FILE] [--held-snapshot]"
                    + " [--executions N] [--repetitions N] [--workers N]";

    private static final int WORKERS = 16;
    private static final int MOST_WORKERS = 64;
    private static final int MOST_EXECUTIONS = 10_000_000;
    private static final int MOST_REPETITIONS = 100;

    enum Bench {
        DRAIN,
        SUBMIT,
        IDLE,
        GROWTH,
        RETENTION,
        ENQUEUE,
        ADMISSION,
        ROUTING,
        KEYS,
        SESSIONS,
        CATCHUP;

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static Bench of(String word) {
            for (var bench : values()) {
                if (bench.word().equals(word)) {
                    return bench;
                }
            }
            throw new Refusal(
                    ("There is no benchmark '%s'; say drain, submit, idle, growth, retention,"
                                    + " enqueue, admission, routing, keys, sessions or catchup.")
                            .formatted(word));
        }
    }

    /**
     * Reads the command line.
     *
     * @throws Refusal when it makes no sense
     */
    static Arguments parse(List<String> words) {
        var left = new ArrayDeque<>(words);
        if (left.isEmpty()) {
            throw new Refusal("Say what to measure: " + USAGE);
        }
        var arguments =
                new Arguments(
                        Bench.of(left.remove()),
                        false,
                        false,
                        Optional.empty(),
                        Optional.empty(),
                        Optional.empty(),
                        WORKERS);
        while (!left.isEmpty()) {
            arguments = arguments.with(left.remove(), left);
        }
        return arguments;
    }

    /** How many executions one repetition does. */
    int executionsOr(int full, int quickly) {
        return executions.orElse(quick ? quickly : full);
    }

    int repetitionsOr(int full, int quickly) {
        return repetitions.orElse(quick ? quickly : full);
    }

    private Arguments with(String option, ArrayDeque<String> left) {
        return switch (option) {
            case "--quick" ->
                    new Arguments(
                            bench, true, heldSnapshot, json, executions, repetitions, workers);
            case "--held-snapshot" -> {
                only(option, Bench.DRAIN);
                yield new Arguments(bench, quick, true, json, executions, repetitions, workers);
            }
            case "--json" -> {
                var file = Path.of(value(option, left));
                yield new Arguments(
                        bench,
                        quick,
                        heldSnapshot,
                        Optional.of(file),
                        executions,
                        repetitions,
                        workers);
            }
            case "--executions" -> {
                not(option, Bench.IDLE);
                int number = number(option, left, MOST_EXECUTIONS);
                yield new Arguments(
                        bench,
                        quick,
                        heldSnapshot,
                        json,
                        Optional.of(number),
                        repetitions,
                        workers);
            }
            case "--repetitions" -> {
                not(option, Bench.IDLE);
                int number = number(option, left, MOST_REPETITIONS);
                yield new Arguments(
                        bench, quick, heldSnapshot, json, executions, Optional.of(number), workers);
            }
            case "--workers" -> {
                int number = number(option, left, MOST_WORKERS);
                yield new Arguments(
                        bench, quick, heldSnapshot, json, executions, repetitions, number);
            }
            default -> throw new Refusal("There is no option '%s': %s".formatted(option, USAGE));
        };
    }

    private void only(String option, Bench some) {
        if (bench != some) {
            throw meaningless(option);
        }
    }

    private void not(String option, Bench some) {
        if (bench == some) {
            throw meaningless(option);
        }
    }

    private Refusal meaningless(String option) {
        return new Refusal("%s means nothing to bench %s.".formatted(option, bench.word()));
    }

    private static String value(String option, ArrayDeque<String> left) {
        var value = left.poll();
        if (value == null) {
            throw new Refusal("%s needs a value after it.".formatted(option));
        }
        return value;
    }

    private static int number(String option, ArrayDeque<String> left, int most) {
        var value = value(option, left);
        try {
            int number = Integer.parseInt(value);
            if (number >= 1 && number <= most) {
                return number;
            }
        } catch (NumberFormatException e) {
            // Refused below, like a number out of range.
        }
        throw new Refusal(
                "%s takes a whole number from 1 to %,d, and not '%s'."
                        .formatted(option, most, value));
    }
}
