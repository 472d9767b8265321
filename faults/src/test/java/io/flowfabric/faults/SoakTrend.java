package io.flowfabric.faults;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.ToDoubleFunction;

/** What grew in the course of a {@link Soak}: its last ten minutes beside its minutes 5 to 15. */
final class SoakTrend {
    /** What later minutes may be beyond earlier ones: time and memory. */
    private static final double FLAT = 1.2;

    /** Space is given back by the vacuum, which comes when it comes. */
    private static final double BOUNDED = 1.5;

    private static final int WARM_UP = 5;
    private static final int WINDOW = 10;

    private final List<SoakMinute> minutes;

    SoakTrend(List<SoakMinute> minutes) {
        this.minutes = List.copyOf(minutes);
    }

    /** Whether there are enough minutes to compare later ones with earlier ones. */
    boolean longEnough() {
        return minutes.size() >= WARM_UP + 2 * WINDOW;
    }

    /** What grew, in words; nothing when all stayed flat, or when it is too early to tell. */
    List<String> growth() {
        if (!longEnough()) {
            return List.of();
        }
        var found = new ArrayList<String>();
        compare(found, "p99 of the start, ms", p99(first()), p99(last()), FLAT);
        compare(found, "heap of the driver, MB", SoakMinute::heap, FLAT);
        compare(found, "heap of the veteran, MB", SoakMinute::veteranHeap, FLAT);
        compare(found, "memory of the veteran, MB", SoakMinute::veteran, FLAT);
        compare(found, "memory of the server, MB", SoakMinute::server, FLAT);
        compare(found, "connections", SoakMinute::connections, FLAT);
        compare(found, "tables, MB", SoakMinute::tablesTogether, BOUNDED);
        return found;
    }

    /** What is compared, in words. */
    String p99InWords() {
        return String.format(Locale.ROOT, "%.0f ms, %.0f ms", p99(first()), p99(last()));
    }

    private List<SoakMinute> first() {
        return minutes.subList(WARM_UP, WARM_UP + WINDOW);
    }

    private List<SoakMinute> last() {
        return minutes.subList(minutes.size() - WINDOW, minutes.size());
    }

    private static double p99(List<SoakMinute> window) {
        return Latencies.together(window.stream().map(SoakMinute::latencies).toList())
                .percentile(99);
    }

    private void compare(
            List<String> found, String what, ToDoubleFunction<SoakMinute> value, double most) {
        compare(found, what, mean(first(), value), mean(last(), value), most);
    }

    /** What could not be seen in a minute is none of it. */
    private static double mean(List<SoakMinute> window, ToDoubleFunction<SoakMinute> value) {
        return window.stream().mapToDouble(value).filter(seen -> seen > 0).average().orElse(0);
    }

    private static void compare(
            List<String> found, String what, double first, double last, double most) {
        if (last > first * most) {
            found.add(
                    String.format(
                            Locale.ROOT,
                            "%s: %.1f in minutes 5 to 15, %.1f in the last ten",
                            what,
                            first,
                            last));
        }
    }
}
