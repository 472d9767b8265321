package io.flowfabric.faults;

import java.time.Duration;
import java.util.Collection;

/** How long something took, many times, in a few kilobytes: exact to about a hundredth. */
final class Latencies {
    private static final double FINENESS = 100;
    private static final int BUCKETS = 2000;

    private final int[] counts = new int[BUCKETS];
    private long total;

    synchronized void add(Duration length) {
        double millis = Math.max(0, length.toNanos() / 1e6);
        counts[Math.min(BUCKETS - 1, (int) (Math.log1p(millis) * FINENESS))]++;
        total++;
    }

    private synchronized void addTo(Latencies sum) {
        for (int i = 0; i < BUCKETS; i++) {
            sum.counts[i] += counts[i];
        }
        sum.total += total;
    }

    static Latencies together(Collection<Latencies> parts) {
        var sum = new Latencies();
        parts.forEach(part -> part.addTo(sum));
        return sum;
    }

    /** In milliseconds: so many of a hundred were no slower. */
    synchronized double percentile(double percent) {
        long wanted = (long) Math.ceil(total * percent / 100);
        long seen = 0;
        for (int i = 0; i < BUCKETS; i++) {
            seen += counts[i];
            if (seen >= wanted) {
                return Math.expm1((i + 0.5) / FINENESS);
            }
        }
        return 0;
    }

    synchronized long count() {
        return total;
    }
}
