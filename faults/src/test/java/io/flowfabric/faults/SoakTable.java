package io.flowfabric.faults;

import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.stream.Collectors;

/** One line a minute about a {@link Soak}, and what these lines say of its length. */
final class SoakTable {
    private static final double MEGABYTE = 1 << 20;

    private final SoakServer server;
    private final SoakFleet fleet;
    private final SoakJudge judge;
    private final SoakFaults faults;
    private final PrintStream out;
    private final long began = System.nanoTime();
    private final List<SoakMinute> minutes = new ArrayList<>();
    private long endedBefore;
    private long nanosBefore = began;

    SoakTable(
            SoakServer server,
            SoakFleet fleet,
            SoakJudge judge,
            SoakFaults faults,
            PrintStream out) {
        this.server = server;
        this.fleet = fleet;
        this.judge = judge;
        this.faults = faults;
        this.out = out;
        out.println(
                "| minute | submitted | ended/s | start p50 ms | p99 ms | heap MB | veteran heap MB"
                    + " | veteran MB | children MB | server MB | connections | tables MB | largest"
                    + " | log MB | kills |");
        out.println("|" + "---|".repeat(15));
    }

    /** Looks at everything, and prints the next line. */
    synchronized void tell() {
        var minute = measure();
        minutes.add(minute);
        out.printf(
                Locale.ROOT,
                "| %d | %,d | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %d | %.1f |"
                        + " %s | %.1f | %d |%n",
                minutes.size(),
                judge.submitted(),
                minute.endedPerSecond(),
                minute.latencies().percentile(50),
                minute.latencies().percentile(99),
                minute.heap(),
                minute.veteranHeap(),
                minute.veteran(),
                minute.children(),
                minute.server(),
                minute.connections(),
                minute.tablesTogether(),
                largest(minute.tables()),
                minute.log(),
                faults.kills());
    }

    /** Prints a last line for what is left of a minute, if that is a good part of one. */
    synchronized void tellTheRest() {
        boolean enough = System.nanoTime() - nanosBefore > Duration.ofSeconds(5).toNanos();
        if (enough || minutes.isEmpty()) {
            tell();
        }
    }

    private SoakMinute measure() {
        long ended = judge.ended();
        long nanos = System.nanoTime();
        double perSecond = (ended - endedBefore) * 1e9 / (nanos - nanosBefore);
        endedBefore = ended;
        nanosBefore = nanos;
        // What is reachable counts, and not what lies about.
        System.gc();
        var heap = ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed() / MEGABYTE;
        var look = server.look();
        return new SoakMinute(
                judge.nextLatencies(),
                perSecond,
                heap,
                fleet.veteran().heap(),
                ProcessMemory.of(List.of(fleet.veteran().pid())),
                ProcessMemory.of(fleet.pids()),
                look.memory(),
                look.connections(),
                look.tables(),
                look.log());
    }

    private static String largest(Map<String, Double> tables) {
        return tables.entrySet().stream()
                .sorted(Map.Entry.<String, Double>comparingByValue().reversed())
                .limit(3)
                .map(
                        table ->
                                String.format(
                                        Locale.ROOT, "%s %.1f", table.getKey(), table.getValue()))
                .collect(Collectors.joining(", "));
    }

    Duration passed() {
        return Duration.ofSeconds(Duration.ofNanos(System.nanoTime() - began).toSeconds());
    }

    /** What the minutes say together. */
    synchronized SoakTrend trend() {
        return new SoakTrend(minutes);
    }

    /** Growth of the log for each execution, in bytes: it is kept for a week, and must stay so. */
    synchronized double logBytesEach() {
        return minutes.isEmpty() || judge.submitted() == 0
                ? 0
                : minutes.getLast().log() * MEGABYTE / judge.submitted();
    }
}
