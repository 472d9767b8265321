package io.flowfabric.testkit.harness;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.SplittableRandom;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Chance, from a seed. */
final class Draw {
    private static final int ALL = 100;

    private final SplittableRandom random;

    Draw(long seed) {
        this.random = new SplittableRandom(seed);
    }

    /** A number from 0 on, below a bound. */
    int below(int bound) {
        return random.nextInt(bound);
    }

    /** A number between two, both included. */
    int between(int least, int most) {
        return random.nextInt(least, most + 1);
    }

    boolean chance(int percent) {
        return below(ALL) < percent;
    }

    <T> T one(List<T> values) {
        return values.get(below(values.size()));
    }

    @SafeVarargs
    final <T> T one(T... values) {
        return values[below(values.length)];
    }

    /** One of the keys, each as likely as its weight. */
    <T> T weighted(Map<T, Integer> weights) {
        int total = weights.values().stream().mapToInt(Integer::intValue).sum();
        int left = below(total);
        for (Map.Entry<T, Integer> entry : weights.entrySet()) {
            left -= entry.getValue();
            if (left < 0) {
                return entry.getKey();
            }
        }
        throw new IllegalArgumentException("nothing has any weight: " + weights);
    }

    /** Some of the values, perhaps none, in their order. */
    <T> List<T> some(List<T> values) {
        var some = new ArrayList<T>();
        for (T value : values) {
            if (random.nextBoolean()) {
                some.add(value);
            }
        }
        return some;
    }

    /** Mostly one of something, sometimes a handful: the number of each is handed to its maker. */
    <T> List<T> fewOf(IntFunction<T> maker) {
        int count = chance(80) ? 1 : between(2, 5);
        return IntStream.range(0, count).mapToObj(maker).toList();
    }

    /** How far back to look among things that keep coming: mostly not far. */
    int back() {
        return chance(60) ? below(6) : below(1000);
    }
}
