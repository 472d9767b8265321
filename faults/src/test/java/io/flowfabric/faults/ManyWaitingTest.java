package io.flowfabric.faults;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.management.HotSpotDiagnosticMXBean;

import io.flowfabric.DurableTask;
import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.Work;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.PublicState;
import io.flowfabric.postgres.PostgresStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.locks.LockSupport;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** Work that waits: rows of a store, and nothing else. */
class ManyWaitingTest {
    private static final int COUNT = 10_000;
    private static final int PIECE = 1_000;
    private static final int SIGNALLED = 100;
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final int WARM = 100;

    /** Virtual threads that run cost carriers, and pools may grow by a few while they work. */
    private static final int FEW_THREADS = 8;

    /** Those of a fabric besides its pool: to listen, and for heartbeats. */
    private static final int KEPT_CONNECTIONS = 3;

    /** With the handle of each that the test itself keeps; a thread would take many times that. */
    private static final int BYTES_EACH = 400;

    private static final Kind<Integer, String> SLEEPER =
            Kind.of("sleeper", Integer.class, String.class).lane("waiting");

    private static final Kind<Integer, String> LISTENER =
            Kind.of("listener", Integer.class, String.class).lane("waiting");

    private static final Pattern VIRTUAL = Pattern.compile("^#\\d+ .* virtual");

    @TempDir Path home;
    private final FaultScenario world = new FaultScenario();

    @AfterEach
    void close() {
        world.close();
    }

    /** What a fabric holds besides the rows of its store. */
    private record Held(int threads, int virtualThreads, long connections, long bytes) {}

    @Test
    void ten_thousand_that_sleep_or_wait_hold_no_thread_and_no_connection() throws Exception {
        var store =
                PostgresStore.open(world.options().withApplicationName("waiting"), world.schema());
        try (var fabric = FlowFabric.on(store, FabricOptions.DEFAULT)) {
            fabric.worker("patient")
                    .concurrency(64)
                    .on(SLEEPER, ManyWaitingTest::sleep)
                    .on(LISTENER, ManyWaitingTest::listen)
                    .start();
            // What is made once, for the first of them, is not theirs.
            submit(fabric, 2 * WARM);
            awaitSuspended(2 * WARM);
            var before = held();

            var listeners = submit(fabric, COUNT);
            awaitSuspended(COUNT + 2 * WARM);
            var after = held();

            System.out.printf("%d more that wait: %s, before %s%n", COUNT, after, before);
            System.out.printf(
                    "%.1f bytes of heap for each%n", (double) (after.bytes - before.bytes) / COUNT);
            assertThat(after.threads).isLessThanOrEqualTo(before.threads + FEW_THREADS);
            assertThat(after.virtualThreads)
                    .isLessThanOrEqualTo(before.virtualThreads + FEW_THREADS);
            // A pool grows while it is used, up to its size; what waits adds nothing to that.
            assertThat(after.connections)
                    .isLessThanOrEqualTo(world.options().connections() + KEPT_CONNECTIONS);
            assertThat(after.bytes - before.bytes).isLessThan((long) COUNT * BYTES_EACH);
            assertAnswered(listeners);
        }
    }

    @Test
    void a_thread_of_a_handler_is_counted_while_it_runs() throws Exception {
        var end = new Object();
        var before = virtualThreads();
        var handler = Thread.ofVirtual().start(() -> LockSupport.park(end));

        assertThat(virtualThreads()).isEqualTo(before + 1);
        LockSupport.unpark(handler);
        handler.join();
    }

    private static String sleep(DurableTask task, int number) {
        task.sleep("night", Duration.ofDays(1));
        return "awake";
    }

    private static String listen(DurableTask task, int number) {
        return number + " " + task.awaitSignal("call", String.class).orElseThrow();
    }

    /** Half of them sleep, and the others, some of which are returned, wait to be called. */
    private static List<WorkHandle<String>> submit(FlowFabric fabric, int count) {
        var some = new ArrayList<WorkHandle<String>>();
        for (int from = 0; from < count; from += PIECE) {
            var works =
                    IntStream.range(from, Math.min(count, from + PIECE))
                            .mapToObj(ManyWaitingTest::work)
                            .toList();
            var handles = fabric.submitAll(works);
            for (int i = 1; i < handles.size() && some.size() < SIGNALLED; i += 2) {
                some.add(handles.get(i).orThrow());
            }
            handles.forEach(handle -> handle.orThrow());
        }
        return some;
    }

    private static Work<String> work(int number) {
        return (number % 2 == 0 ? SLEEPER : LISTENER).with(number);
    }

    private void awaitSuspended(long count) {
        Waiting.until("all of them wait", () -> suspended() == count);
    }

    private long suspended() {
        return world.store()
                .queries()
                .counts(Namespace.DEFAULT)
                .getOrDefault(Lane.of("waiting"), Map.of())
                .getOrDefault(PublicState.SUSPENDED, 0L);
    }

    private Held held() throws Exception {
        long connections =
                Servers.number(
                        world.options(),
                        "select count(*) from pg_stat_activity where application_name = 'waiting'");
        return new Held(
                ManagementFactory.getThreadMXBean().getThreadCount(),
                virtualThreads(),
                connections,
                usedHeap());
    }

    /** Those that handlers run on; a bean of threads does not know of them. */
    private int virtualThreads() throws IOException {
        var dump = home.resolve("threads-" + System.nanoTime());
        ManagementFactory.getPlatformMXBean(HotSpotDiagnosticMXBean.class)
                .dumpThreads(dump.toString(), HotSpotDiagnosticMXBean.ThreadDumpFormat.TEXT_PLAIN);
        try (var lines = Files.lines(dump)) {
            return (int) lines.filter(line -> VIRTUAL.matcher(line).find()).count();
        }
    }

    /** What is still there after collections, which take what nothing holds. */
    private static long usedHeap() {
        return Stream.generate(ManyWaitingTest::usedAfterCollection)
                .limit(3)
                .mapToLong(Long::longValue)
                .min()
                .orElseThrow();
    }

    private static long usedAfterCollection() {
        var memory = ManagementFactory.getMemoryMXBean();
        memory.gc();
        return memory.getHeapMemoryUsage().getUsed();
    }

    private void assertAnswered(List<WorkHandle<String>> listeners) throws InterruptedException {
        long waiting = suspended();
        listeners.forEach(listener -> listener.signal("call", "heard"));

        for (int i = 0; i < listeners.size(); i++) {
            assertThat(listeners.get(i).await(SOON)).isEqualTo(2 * i + 1 + " heard");
        }
        assertThat(suspended()).isEqualTo(waiting - SIGNALLED);
    }
}
