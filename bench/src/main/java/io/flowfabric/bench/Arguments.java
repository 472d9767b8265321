package io.flowfabric.bench;

import java.nio.file.Path;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;
import java.util.Optional;

/**
 * What the command line asks for.
 *
 * @param store what it is measured on
 * @param quick less of everything: to see that nothing broke, not to publish
 * @param heldSnapshot whether the drain is measured with a snapshot held open elsewhere
 * @param json where the figures go, besides the screen
 * @param executions how many one repetition does, if it was said
 * @param repetitions how often everything is measured, if it was said
 * @param workers how many handlers or threads each contender runs at once
 */
record Arguments(
        Bench bench,
        StoreKind store,
        boolean quick,
        boolean heldSnapshot,
        Optional<Path> json,
        Optional<Integer> executions,
        Optional<Integer> repetitions,
        int workers) {

    static final String USAGE =
            "bench drain | submit | idle | growth | retention | enqueue | admission | routing |"
                + " keys | sessions | catchup | waiting | flows | worker | peers | memory | cluster"
                + " [--store postgres | valkey] [--quick] [--json FILE] [--held-snapshot]"
                + " [--executions N] [--repetitions N] [--workers N]";

    private static final int WORKERS = 16;
    private static final int MOST_WORKERS = 64;
    private static final int MOST_EXECUTIONS = 10_000_000;
    private static final int MOST_REPETITIONS = 100;

    enum Bench {
        DRAIN(true, true),
        SUBMIT(true, true),
        IDLE(true, true),
        GROWTH(true, true),
        RETENTION(true, false),
        ENQUEUE(true, false),
        ADMISSION(true, false),
        ROUTING(true, false),
        KEYS(true, false),
        SESSIONS(true, false),
        CATCHUP(true, false),
        WAITING(true, true),
        FLOWS(true, true),
        WORKER(true, false),
        PEERS(true, false),
        MEMORY(false, true),
        CLUSTER(false, true);

        private final boolean onPostgres;
        private final boolean onValkey;

        Bench(boolean onPostgres, boolean onValkey) {
            this.onPostgres = onPostgres;
            this.onValkey = onValkey;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        boolean isOn(StoreKind store) {
            return switch (store) {
                case POSTGRES -> onPostgres;
                case VALKEY -> onValkey;
            };
        }

        static Bench of(String word) {
            for (var bench : values()) {
                if (bench.word().equals(word)) {
                    return bench;
                }
            }
            throw new Refusal(
                    "There is no benchmark '%s'; say %s."
                            .formatted(
                                    word, or(Arrays.stream(values()).map(Bench::word).toList())));
        }
    }

    /** What can be measured. */
    enum StoreKind {
        POSTGRES("Postgres"),
        VALKEY("Valkey");

        final String name;

        StoreKind(String name) {
            this.name = name;
        }

        String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static StoreKind of(String word) {
            for (var store : values()) {
                if (store.word().equals(word)) {
                    return store;
                }
            }
            throw new Refusal("--store takes postgres or valkey, and not '%s'.".formatted(word));
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
        var draft = new Draft(Bench.of(left.remove()));
        while (!left.isEmpty()) {
            draft.read(left.remove(), left);
        }
        return draft.arguments();
    }

    /** How many executions one repetition does. */
    int executionsOr(int full, int quickly) {
        return executions.orElse(quick ? quickly : full);
    }

    int repetitionsOr(int full, int quickly) {
        return repetitions.orElse(quick ? quickly : full);
    }

    private static String or(List<String> words) {
        int last = words.size() - 1;
        return String.join(", ", words.subList(0, last)) + " or " + words.get(last);
    }

    /** What was read so far. */
    private static final class Draft {
        private final Bench bench;
        private StoreKind store;
        private boolean quick;
        private boolean heldSnapshot;
        private Optional<Path> json = Optional.empty();
        private Optional<Integer> executions = Optional.empty();
        private Optional<Integer> repetitions = Optional.empty();
        private int workers = WORKERS;

        Draft(Bench bench) {
            this.bench = bench;
            this.store = StoreKind.POSTGRES;
        }

        void read(String option, ArrayDeque<String> left) {
            switch (option) {
                case "--store" -> store = StoreKind.of(value(option, left));
                case "--quick" -> quick = true;
                case "--held-snapshot" -> {
                    meansSomething(option, bench == Bench.DRAIN);
                    heldSnapshot = true;
                }
                case "--json" -> json = Optional.of(Path.of(value(option, left)));
                case "--executions" -> {
                    meansSomething(option, bench != Bench.IDLE);
                    executions = Optional.of(number(option, left, MOST_EXECUTIONS));
                }
                case "--repetitions" -> {
                    meansSomething(option, bench != Bench.IDLE && bench != Bench.MEMORY);
                    repetitions = Optional.of(number(option, left, MOST_REPETITIONS));
                }
                case "--workers" -> workers = number(option, left, MOST_WORKERS);
                default ->
                        throw new Refusal("There is no option '%s': %s".formatted(option, USAGE));
            }
        }

        Arguments arguments() {
            if (!bench.isOn(store)) {
                var there =
                        Arrays.stream(Bench.values())
                                .filter(other -> other.isOn(store))
                                .map(Bench::word)
                                .toList();
                throw new Refusal(
                        "bench %s is not measured on %s; there it is %s."
                                .formatted(bench.word(), store.name, or(there)));
            }
            if (heldSnapshot && store != StoreKind.POSTGRES) {
                throw new Refusal(
                        "--held-snapshot means nothing on %s, which keeps no old versions."
                                .formatted(store.name));
            }
            return new Arguments(
                    bench, store, quick, heldSnapshot, json, executions, repetitions, workers);
        }

        private void meansSomething(String option, boolean something) {
            if (!something) {
                throw new Refusal("%s means nothing to bench %s.".formatted(option, bench.word()));
            }
        }
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
