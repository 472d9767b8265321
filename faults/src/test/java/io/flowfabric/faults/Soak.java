package io.flowfabric.faults;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.store.Store;
import io.flowfabric.faults.SoakFaults.Fault;
import io.flowfabric.testkit.history.Expectations;
import io.flowfabric.testkit.history.Faults;
import io.flowfabric.testkit.history.Violation;
import io.flowfabric.testkit.history.Violation.Kind;

import java.io.IOException;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/**
 * The program behind {@code ./ff soak}: mixed load on a durable server of its own, with processes
 * of engines and workers, while one thing after the other is broken; then a verdict.
 *
 * <p>Every minute has the same load and the same faults, so that minutes can be compared.
 * Everything that happens is judged while it goes on, so that a soak can last for as long as one
 * likes.
 */
final class Soak {
    private static final int SOUND = 0;
    private static final int NOT_SOUND = 1;
    private static final int WRONG_WORDS = 2;

    private static final Duration MINUTE = Duration.ofMinutes(1);
    private static final Duration PATIENCE = Duration.ofMinutes(3);
    private static final int SHOWN = 10;

    /** One in sixteen kills is that of the server: more than one in twenty. */
    private static final int SERVER_EVERY = 16;

    private static final int ENGINE_EVERY = 5;

    /** So many processes must run before the next one is killed. */
    private static final int ENOUGH = 4;

    private final SoakOptions options;
    private final PrintStream out;
    private long began;

    /** What is broken in each minute, and at which second. */
    private record Appointment(int second, Fault fault, Fault everyOther) {
        Appointment(int second, Fault fault) {
            this(second, fault, fault);
        }
    }

    private static List<Appointment> appointments(Fault peculiar) {
        return List.of(
                new Appointment(3, Fault.WORKER_KILLED),
                new Appointment(10, Fault.WORKER_FROZEN),
                new Appointment(20, Fault.CONNECTIONS_CUT),
                new Appointment(28, peculiar),
                new Appointment(30, Fault.ENGINE_KILLED),
                new Appointment(38, Fault.WORKER_KILLED),
                new Appointment(44, Fault.SERVER_KILLED, Fault.SERVER_RESTARTED));
    }

    private static final Map<String, Set<Kind>> WORDS =
            Map.of(
                    "lost", Set.of(Kind.LOST_WORK, Kind.LOST_WRITE, Kind.UNRECORDED_LEASE),
                    "doubled",
                            Set.of(
                                    Kind.FINISHED_TWICE,
                                    Kind.AFTER_THE_END,
                                    Kind.TWO_HOLDERS,
                                    Kind.LEASE_NEVER_ENDED,
                                    Kind.LEASE_ENDED_TWICE),
                    "stale writes",
                            Set.of(
                                    Kind.STALE_WRITE,
                                    Kind.WRITE_AFTER_DEATH,
                                    Kind.LEASE_ENDED_BY_ANOTHER),
                    "limits exceeded", Set.of(Kind.QUOTA_EXCEEDED, Kind.BUDGET_EXCEEDED),
                    "late", Set.of(Kind.LATE, Kind.OUT_OF_ORDER));

    private Soak(SoakOptions options, PrintStream out) {
        this.options = options;
        this.out = out;
    }

    public static void main(String... words) {
        System.exit(run(List.of(words), System.out, System.err));
    }

    /** Returns the exit code: 0 only when everything that happened was sound. */
    static int run(List<String> words, PrintStream out, PrintStream beside) {
        SoakOptions options;
        try {
            options = SoakOptions.parse(words);
        } catch (IllegalArgumentException e) {
            beside.println(e.getMessage());
            return WRONG_WORDS;
        }
        return new Soak(options, out).run() ? SOUND : NOT_SOUND;
    }

    private boolean run() {
        var home = Path.of("target", "soak-" + ProcessHandle.current().pid()).toAbsolutePath();
        try {
            return run(home);
        } finally {
            delete(home);
        }
    }

    private boolean run(Path home) {
        var faultLog = new Faults();
        var expected =
                new Expectations(options.slack(), SoakFleet.PLACES, SoakMix.BUDGETS, faultLog);
        try (var server = options.store().toSoak(home);
                var proxy = CuttingProxy.to(server.port());
                var judge = new SoakJudge(server.store(), expected)) {
            var store = server.store();
            var way = server.address().through(server.port(), proxy);
            SoakMix.define(store);
            var start = faultLog.everywhere(Instant.now());
            try (var fleet = new SoakFleet(way, judge.witness());
                    var load = new SoakLoad(server, judge, options.seed())) {
                start.over(Instant.now().plus(options.slack()));
                var faults =
                        new SoakFaults(server, proxy, fleet, faultLog, new Random(options.seed()));
                var table = new SoakTable(server, fleet, judge, faults, out);
                breakThings(faults, server.peculiar(), fleet, table);
                table.tellTheRest();
                load.end();
                var wrong = new ArrayList<String>();
                bringToItsEnd(store, fleet, wrong);
                judge.conclude();
                return verdict(store, judge, faults, table, wrong);
            }
        }
    }

    private void breakThings(SoakFaults faults, Fault peculiar, SoakFleet fleet, SoakTable table) {
        began = System.nanoTime();
        try (var clock = Executors.newSingleThreadScheduledExecutor()) {
            var unused =
                    clock.scheduleAtFixedRate(
                            table::tell,
                            MINUTE.toMillis(),
                            MINUTE.toMillis(),
                            TimeUnit.MILLISECONDS);
            if (options.kills().isPresent()) {
                killAsFastAsTheyComeBack(faults, fleet, options.kills().get());
            } else {
                keepAppointments(faults, appointments(peculiar));
            }
            clock.shutdown();
        }
    }

    /** What takes longer than until the next appointment goes on beside it. */
    private void keepAppointments(SoakFaults faults, List<Appointment> minutely) {
        double pace = Math.min(1, options.length().toMillis() / (double) MINUTE.toMillis());
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (int minute = 0; goesOn(); minute++) {
                for (var appointment : minutely) {
                    long at = minute * 60_000L + appointment.second * 1000L;
                    sleepUntil((long) (at * pace));
                    if (goesOn()) {
                        var fault = minute % 2 == 0 ? appointment.fault : appointment.everyOther;
                        var length = Duration.ofMillis((long) (20_000 * pace));
                        var unused = threads.submit(() -> faults.inject(fault, length));
                    }
                }
                sleepUntil((long) ((minute + 1) * 60_000L * pace));
            }
        }
    }

    private void sleepUntil(long millis) {
        long at = Math.min(millis, options.length().toMillis());
        Waiting.pause(Duration.ofMillis(Math.max(0, at - (System.nanoTime() - began) / 1_000_000)));
    }

    private boolean goesOn() {
        return System.nanoTime() - began < options.length().toNanos();
    }

    private static void killAsFastAsTheyComeBack(SoakFaults faults, SoakFleet fleet, int kills) {
        for (int i = 1; i <= kills; i++) {
            Waiting.until("enough processes run", PATIENCE, () -> fleet.ready() >= ENOUGH);
            var fault =
                    i % SERVER_EVERY == 0
                            ? Fault.SERVER_KILLED
                            : i % ENGINE_EVERY == 0 ? Fault.ENGINE_KILLED : Fault.WORKER_KILLED;
            faults.inject(fault, Duration.ZERO);
        }
    }

    private static void bringToItsEnd(Store store, SoakFleet fleet, List<String> wrong) {
        try {
            Persistence.repeat(
                    () -> {
                        SoakMix.lift(store);
                        return true;
                    });
            Waiting.until("all work has ended", PATIENCE, () -> drained(store));
        } catch (AssertionError e) {
            wrong.add(e.getMessage());
        }
        fleet.missing().forEach(name -> wrong.add(name + " ended by itself"));
        fleet.end();
    }

    private static boolean drained(Store store) {
        try {
            return store.queries().counts(Namespace.DEFAULT).values().stream()
                    .flatMap(lane -> lane.entrySet().stream())
                    .allMatch(count -> count.getKey().terminal() || count.getValue() == 0);
        } catch (FlowFabricException e) {
            return false;
        }
    }

    private boolean verdict(
            Store store, SoakJudge judge, SoakFaults faults, SoakTable table, List<String> wrong) {
        wrong.addAll(judge.otherwiseWrong());
        store.quotas()
                .recount(Namespace.DEFAULT)
                .drifts()
                .forEach(drift -> wrong.add("miscounted: " + drift));
        store.budgets()
                .recount(Namespace.DEFAULT)
                .drifts()
                .forEach(drift -> wrong.add("miscounted: " + drift));
        var violations = judge.violations();
        var trend = table.trend();
        out.printf(
                "%nSeed %d, %s: %,d submitted, %,d ended, %,d calls failed while something was"
                        + " broken.%n",
                options.seed(),
                table.passed(),
                judge.submitted(),
                judge.ended(),
                judge.failedCalls());
        out.printf("Broken: %s; killed %d.%n", faults.counts(), faults.kills());
        tally(violations).forEach((word, count) -> out.printf("%s: %d%n", word, count));
        out.printf("otherwise wrong: %d%n", wrong.size());
        out.printf(
                "memory, p99 and tables flat: %s%n",
                !trend.longEnough()
                        ? "too short to tell"
                        : (trend.growth().isEmpty() ? "yes" : "no, " + trend.growth())
                                + ", p99 in minutes 5 to 15 and the last ten "
                                + trend.p99InWords());
        out.printf("log: %.0f bytes for each execution%n", table.logBytesEach());
        violations.stream().limit(SHOWN).forEach(out::println);
        wrong.stream().limit(SHOWN).forEach(out::println);
        boolean sound = violations.isEmpty() && wrong.isEmpty() && trend.growth().isEmpty();
        out.println(sound ? "Sound." : "Not sound.");
        return sound;
    }

    private static Map<String, Long> tally(List<Violation> violations) {
        var tally = new TreeMap<String, Long>();
        WORDS.keySet().forEach(word -> tally.put(word, 0L));
        tally.put("impossible", 0L);
        for (var violation : violations) {
            var word =
                    WORDS.entrySet().stream()
                            .filter(entry -> entry.getValue().contains(violation.kind()))
                            .map(Map.Entry::getKey)
                            .findFirst()
                            .orElse("impossible");
            tally.merge(word, 1L, Long::sum);
        }
        return tally;
    }

    private static void delete(Path folder) {
        if (!Files.exists(folder)) {
            return;
        }
        try (var files = Files.walk(folder)) {
            for (var file : files.sorted(Comparator.reverseOrder()).toList()) {
                Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
