package io.flowfabric.bench.report;

import java.util.ArrayList;
import java.util.List;

/** How long something took, each time. */
public final class Latencies {
    private final List<Long> nanos = new ArrayList<>();

    public void add(long each) {
        nanos.add(each);
    }

    /**
     * The shortest time, in milliseconds, that so many of them did not exceed.
     *
     * @param share of all of them: 0.99 for the 99th percentile, 1 for the longest
     */
    public double millis(double share) {
        if (nanos.isEmpty()) {
            throw new IllegalStateException("Nothing was measured.");
        }
        var sorted = nanos.stream().sorted().toList();
        int place = (int) Math.ceil(share * sorted.size());
        return inMillis(sorted.get(Math.max(place, 1) - 1));
    }

    /** All of them in milliseconds, as they came. */
    public List<Double> millis() {
        return nanos.stream().map(Latencies::inMillis).toList();
    }

    private static double inMillis(long nanos) {
        return nanos / 1e6;
    }
}
