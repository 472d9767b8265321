package io.flowfabric.faults;

import io.flowfabric.postgres.SchemaName;

import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** One line a minute about a {@link Soak}, and what these lines say of its length. */
final class SoakTable {
    private static final double MEGABYTE = 1 << 20;

    private final CrashingServer server;
    private final SchemaName schema;
    private final SoakFleet fleet;
    private final SoakJudge judge;
    private final SoakFaults faults;
    private final PrintStream out;
    private final long began = System.nanoTime();
    private final List<SoakMinute> minutes = new ArrayList<>();
    private long endedBefore;
    private long nanosBefore = began;

    SoakTable(
            CrashingServer server,
            SchemaName schema,
            SoakFleet fleet,
            SoakJudge judge,
            SoakFaults faults,
            PrintStream out) {
        this.server = server;
        this.schema = schema;
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
        var sizes = sizes();
        return new SoakMinute(
                judge.nextLatencies(),
                perSecond,
                heap,
                fleet.veteran().heap(),
                memory(List.of(fleet.veteran().pid())),
                memory(fleet.pids()),
                serverMemory(),
                sizes.connections,
                sizes.tables,
                sizes.log);
    }

    /** What the server says of itself. */
    private record Sizes(long connections, Map<String, Double> tables, double log) {}

    /** Asks again for a while when the server is away. */
    private Sizes sizes() {
        for (int tries = 0; tries < 20; tries++) {
            try (var connection = Servers.connect(server.options());
                    var statement = connection.createStatement();
                    var counted = connection.prepareStatement(CONNECTIONS)) {
                var tables = new TreeMap<String, Double>();
                double log = 0;
                try (var rows =
                        statement.executeQuery(
                                """
                                select relname, pg_total_relation_size(c.oid)
                                from pg_class c join pg_namespace n on n.oid = c.relnamespace
                                where n.nspname = '%s' and c.relkind = 'r'
                                """
                                        .formatted(schema.text()))) {
                    while (rows.next()) {
                        double size = rows.getLong(2) / MEGABYTE;
                        if (rows.getString(1).matches("event.*|session")) {
                            log += size;
                        } else {
                            tables.put(rows.getString(1), size);
                        }
                    }
                }
                return new Sizes(Servers.number(counted), tables, log);
            } catch (SQLException e) {
                Waiting.pause(Duration.ofMillis(500));
            }
        }
        return new Sizes(0, Map.of(), 0);
    }

    private static final String CONNECTIONS =
            "select count(*) from pg_stat_activity where backend_type = 'client backend'";

    private double serverMemory() {
        try {
            return memory(server.processes().stream().map(ProcessHandle::pid).toList());
        } catch (RuntimeException e) {
            // It is being restarted.
            return 0;
        }
    }

    /** The memory of processes, what they share counted once; nothing where Linux is not. */
    private static double memory(Collection<Long> pids) {
        return pids.stream().mapToDouble(SoakTable::memory).sum();
    }

    private static double memory(long pid) {
        try (var lines = Files.lines(Path.of("/proc/%d/smaps_rollup".formatted(pid)))) {
            return lines.filter(line -> line.startsWith("Pss:"))
                    .mapToDouble(line -> Double.parseDouble(line.replaceAll("\\D", "")) / 1024)
                    .findFirst()
                    .orElse(0);
        } catch (IOException | RuntimeException e) {
            // It has ended, or this is not Linux.
            return 0;
        }
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
