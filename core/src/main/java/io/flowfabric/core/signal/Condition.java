package io.flowfabric.core.signal;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Collections;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * Which signals resume an execution.
 *
 * <p>A condition is used up by signals: {@link #after} says what is left of it once a signal has
 * come, and what is left in the end is {@link Met}. So a store keeps what is left, and never the
 * signals that led to it.
 */
public sealed interface Condition {
    /** How deep conditions may lie in each other. */
    int MAX_DEPTH = 4;

    /** No signal resumes it: only an operator does, or its timeout. */
    static Condition none() {
        return new Never();
    }

    /** One signal at a waitpoint, of any name. */
    static Condition signal(String waitpoint) {
        return new One(waitpoint, Optional.empty());
    }

    /** One signal of a name at a waitpoint. */
    static Condition signal(String waitpoint, String name) {
        return new One(waitpoint, Optional.of(name));
    }

    /** All of several conditions, in any order. */
    static Condition all(Condition... conditions) {
        return new All(List.of(conditions));
    }

    /**
     * So many signals at any of these waitpoints that differ in something, whatever they say: two
     * rejections, too. {@link AtLeast#named} asks for one name.
     */
    static AtLeast atLeast(int count, Distinct by, String... waitpoints) {
        return new AtLeast(count, by, List.of(waitpoints), Optional.empty());
    }

    /** What is left of it once this signal has come; the same when it does not matter. */
    Condition after(SignalHead signal);

    /** The waitpoints at which it waits, each once. */
    List<String> waitpoints();

    /** What it waits for, in words. */
    String words();

    /** Adds what it says to the digest of a request. */
    void digest(Digest.Builder digest);

    /** Whether nothing is left to wait for. */
    default boolean met() {
        return this instanceof Met;
    }

    /**
     * Refuses a condition that nobody may ask for: too deep, too large, or used up in part.
     *
     * @throws Invalid when it is one of these
     */
    default void check() {
        check("condition", 1);
        Limit.CONDITION_WAITPOINTS.checkCount("condition", waitpoints().size());
        Limit.CONDITION_SIGNALS.checkRange("signals of the condition", 0, signals());
    }

    /** How many signals it takes at most to meet it. */
    default long signals() {
        return switch (this) {
            case Met met -> 0;
            case Never never -> 0;
            case One one -> 1;
            case All all -> all.conditions.stream().mapToLong(Condition::signals).sum();
            case AtLeast some -> some.count;
        };
    }

    private void check(String path, int depth) {
        switch (this) {
            case Met met -> throw unusable(path, "It is met already, so nothing waits for it.");
            case All all -> {
                if (depth > MAX_DEPTH) {
                    throw unusable(
                            path,
                            "Conditions lie in each other more than %d deep: flatten them."
                                    .formatted(MAX_DEPTH));
                }
                for (int n = 0; n < all.conditions.size(); n++) {
                    all.conditions.get(n).check("%s[%d]".formatted(path, n), depth + 1);
                }
            }
            case AtLeast some when !some.seen.isEmpty() ->
                    throw unusable(path, "It is used up in part: ask for it as it was.");
            case AtLeast some -> {}
            case One one -> {}
            case Never never -> {
                if (depth > 1) {
                    throw unusable(
                            path, "No signal meets it, so it cannot be part of a condition.");
                }
            }
        }
    }

    private static Invalid unusable(String path, String explanation) {
        return new Invalid(Invalid.Code.IMPOSSIBLE_CONDITION, path, explanation);
    }

    /** What signals must differ in to count apart. */
    enum Distinct {
        /** The waitpoints at which they arrive. */
        WAITPOINTS {
            @Override
            String of(SignalHead signal) {
                return signal.waitpoint();
            }
        },
        /** Nothing: each counts. */
        SIGNALS {
            @Override
            String of(SignalHead signal) {
                return Long.toString(signal.number());
            }
        },
        /** Those who send them. */
        SOURCES {
            @Override
            String of(SignalHead signal) {
                return signal.actor();
            }
        };

        abstract String of(SignalHead signal);
    }

    /** Nothing is left to wait for. */
    record Met() implements Condition {
        @Override
        public Condition after(SignalHead signal) {
            return this;
        }

        @Override
        public List<String> waitpoints() {
            return List.of();
        }

        @Override
        public String words() {
            return "nothing";
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("met");
        }
    }

    /** No signal meets it. */
    record Never() implements Condition {
        @Override
        public Condition after(SignalHead signal) {
            return this;
        }

        @Override
        public List<String> waitpoints() {
            return List.of();
        }

        @Override
        public String words() {
            return "no signal";
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("never");
        }
    }

    /**
     * One signal at a waitpoint.
     *
     * @param signal the name that it must have, if only that one counts
     */
    record One(String waitpoint, Optional<String> signal) implements Condition {
        public One {
            Text.name("waitpoint", waitpoint, Limit.NAME_BYTES);
            signal.ifPresent(name -> Text.name("signal", name, Limit.NAME_BYTES));
        }

        @Override
        public Condition after(SignalHead arrived) {
            return waitpoint.equals(arrived.waitpoint()) && matches(signal, arrived)
                    ? new Met()
                    : this;
        }

        @Override
        public List<String> waitpoints() {
            return List.of(waitpoint);
        }

        @Override
        public String words() {
            return "%s at %s".formatted(called(signal), waitpoint);
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("one").text(waitpoint).text(signal.orElse(""));
        }
    }

    /** All of several conditions; those that are met are left out. */
    record All(List<Condition> conditions) implements Condition {
        public All {
            conditions = List.copyOf(conditions);
            if (conditions.isEmpty()) {
                throw unusable("condition", "All of nothing is met from the beginning.");
            }
        }

        @Override
        public Condition after(SignalHead signal) {
            var left =
                    conditions.stream()
                            .map(condition -> condition.after(signal))
                            .filter(condition -> !condition.met())
                            .toList();
            return left.isEmpty() ? new Met() : new All(left);
        }

        @Override
        public List<String> waitpoints() {
            return conditions.stream()
                    .flatMap(condition -> condition.waitpoints().stream())
                    .distinct()
                    .toList();
        }

        @Override
        public String words() {
            return conditions.stream().map(Condition::words).collect(Collectors.joining(" and "));
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("all").number(conditions.size());
            conditions.forEach(condition -> condition.digest(digest));
        }
    }

    /**
     * So many signals that differ in something.
     *
     * @param count how many
     * @param by what they must differ in
     * @param waitpoints at any of these
     * @param signal the name that they must have, if only that one counts
     * @param seen what has counted so far
     */
    record AtLeast(
            int count,
            Distinct by,
            List<String> waitpoints,
            Optional<String> signal,
            SortedSet<String> seen)
            implements Condition {
        public AtLeast {
            Limit.CONDITION_SIGNALS.checkRange("count", 1, count);
            waitpoints = List.copyOf(waitpoints);
            waitpoints.forEach(name -> Text.name("waitpoint", name, Limit.NAME_BYTES));
            signal.ifPresent(name -> Text.name("signal", name, Limit.NAME_BYTES));
            seen = Collections.unmodifiableSortedSet(new TreeSet<>(seen));
            var different = new HashSet<>(waitpoints).size();
            if (different == 0 || different < waitpoints.size()) {
                throw unusable("waitpoints", "At least one must be named, and none twice.");
            }
            if (by == Distinct.WAITPOINTS && count > different) {
                throw unusable(
                        "count",
                        "%d different ones of %d waitpoints can never be."
                                .formatted(count, different));
            }
        }

        /** A condition of which nothing has been used up. */
        public AtLeast(int count, Distinct by, List<String> waitpoints, Optional<String> signal) {
            this(count, by, waitpoints, signal, Collections.emptySortedSet());
        }

        /** This condition, of signals of this name alone. */
        public AtLeast named(String name) {
            return new AtLeast(count, by, waitpoints, Optional.of(name), seen);
        }

        @Override
        public Condition after(SignalHead arrived) {
            var counted = by.of(arrived);
            if (!waitpoints.contains(arrived.waitpoint())
                    || !matches(signal, arrived)
                    || seen.contains(counted)) {
                return this;
            }
            var more = new TreeSet<>(seen);
            more.add(counted);
            return more.size() == count
                    ? new Met()
                    : new AtLeast(count, by, waitpoints, signal, more);
        }

        @Override
        public String words() {
            return "%d of %d %s at %s, different in their %s"
                    .formatted(
                            count - seen.size(),
                            count,
                            signal.map("signals '%s'"::formatted).orElse("signals"),
                            String.join(" or ", waitpoints),
                            switch (by) {
                                case WAITPOINTS -> "waitpoints";
                                case SIGNALS -> "numbers";
                                case SOURCES -> "senders";
                            });
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("at least")
                    .number(count)
                    .text(by.name())
                    .text(signal.orElse(""))
                    .number(waitpoints.size());
            waitpoints.forEach(digest::text);
        }
    }

    private static boolean matches(Optional<String> name, SignalHead arrived) {
        return name.map(arrived.name()::equals).orElse(true);
    }

    private static String called(Optional<String> signal) {
        return signal.map("a signal '%s'"::formatted).orElse("a signal");
    }
}
