package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.Time;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.Worker;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntUnaryOperator;
import java.util.stream.IntStream;

/**
 * Workers that can do different things, on several engines, and work that comes in a steady flow
 * and needs one of these things.
 */
public final class RoutedWork implements AutoCloseable {
    private static final String KIND = "routed";
    private static final int ENGINES = 4;
    private static final int CONNECTIONS = 6;
    private static final int SLOTS = 4;

    /** A flow that one worker can take, so that what waits does not wait for its turn. */
    private static final int AT_A_TIME = 25;

    private static final Duration EVERY = Duration.ofMillis(25);
    private static final Duration PATIENCE = Duration.ofMinutes(2);

    private final List<PostgresStore> stores = new ArrayList<>();

    public RoutedWork(Login login) {
        for (int i = 0; i < ENGINES; i++) {
            stores.add(
                    PostgresStore.open(
                            login.options().withConnections(CONNECTIONS),
                            new SchemaName("routed")));
        }
    }

    /**
     * What came of it.
     *
     * @param routed which share of the work was done, by somebody who can
     * @param waits how long each piece waited from its submission to its start, in nanoseconds, the
     *     shortest first
     */
    public record Outcome(String name, double routed, double perSecond, List<Long> waits) {
        /** Within how many seconds so many of a hundred were started. */
        public double waited(int percent) {
            int place = (int) Math.ceil(waits.size() * percent / 100.0) - 1;
            return waits.isEmpty() ? 0 : waits.get(Math.max(0, place)) / 1e9;
        }

        public Map<String, Object> figures() {
            return Map.of(
                    "routed", routed,
                    "per_second", perSecond,
                    "p50_s", waited(50),
                    "p99_s", waited(99),
                    "longest_s", waited(100));
        }

        @Override
        public String toString() {
            return "%.4f routed, p50 %.3f s, p99 %.3f s".formatted(routed, waited(50), waited(99));
        }
    }

    /**
     * Lets work come in until all of it is done.
     *
     * @param setOf which set of capabilities each worker has
     * @param sets how many of the sets the work needs, in turn
     */
    public Outcome run(String name, int executions, int workers, IntUnaryOperator setOf, int sets)
            throws InterruptedException {
        var course = new Course(executions, sets);
        var engines = stores.stream().map(Engine::new).toList();
        var running = new ArrayList<Worker>();
        try {
            engines.forEach(Engine::start);
            for (int i = 0; i < workers; i++) {
                running.add(worker(engines.get(i % ENGINES), name, setOf.applyAsInt(i), course));
            }
            long began = System.nanoTime();
            submit(engines.getFirst(), name, course);
            course.done.await(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
            long nanos = System.nanoTime() - began;
            // What they hold they finish before they are gone.
            running.forEach(Worker::stop);
            return course.outcome(name, nanos, completed(name));
        } finally {
            running.forEach(Worker::stop);
            engines.forEach(Engine::stop);
        }
    }

    private long completed(String lane) {
        return stores.getFirst()
                .queries()
                .counts(Namespace.DEFAULT)
                .getOrDefault(Lane.of(lane), Map.of())
                .getOrDefault(PublicState.COMPLETED, 0L);
    }

    private static Worker worker(Engine engine, String lane, int set, Course course) {
        return Worker.on(engine)
                .name("set-" + set)
                .lane(lane)
                .offers("linux", "set-" + set)
                .concurrency(SLOTS)
                .handle(KIND, task -> course.started(task, set))
                .start();
    }

    private static void submit(Engine engine, String lane, Course course) {
        var needs =
                IntStream.range(0, course.sets)
                        .mapToObj(set -> Capabilities.of("linux", "set-" + set))
                        .map(Policy.DEFAULT::needs)
                        .toList();
        long next = Time.SYSTEM.nanos();
        for (int first = 0; first < course.executions; first += AT_A_TIME) {
            var some =
                    IntStream.range(first, Math.min(first + AT_A_TIME, course.executions))
                            .mapToObj(
                                    nth ->
                                            Submission.of(KIND, Payload.text("" + nth))
                                                    .lane(Lane.of(lane))
                                                    .policy(needs.get(nth % course.sets)))
                            .toList();
            Arrays.fill(course.submitted, first, first + some.size(), System.nanoTime());
            engine.submissions().submit(some).forEach(Answer::orThrow);
            next += EVERY.toNanos();
            for (long left = next - Time.SYSTEM.nanos(); left > 0; ) {
                Time.SYSTEM.park(left);
                left = next - Time.SYSTEM.nanos();
            }
        }
    }

    @Override
    public void close() {
        stores.forEach(PostgresStore::close);
    }

    /** What has happened so far. */
    private static final class Course {
        private final int executions;
        private final int sets;
        private final long[] submitted;
        private final long[] waited;
        private final AtomicInteger astray = new AtomicInteger();
        private final CountDownLatch done;

        Course(int executions, int sets) {
            this.executions = executions;
            this.sets = sets;
            this.submitted = new long[executions];
            this.waited = new long[executions];
            this.done = new CountDownLatch(executions);
        }

        Payload started(Task task, int set) {
            int nth = Integer.parseInt(task.input().asText());
            if (nth % sets != set) {
                astray.incrementAndGet();
            }
            waited[nth] = System.nanoTime() - submitted[nth];
            done.countDown();
            return Payload.EMPTY;
        }

        Outcome outcome(String name, long nanos, long completed) {
            var waits = Arrays.stream(waited).filter(wait -> wait > 0).sorted().boxed().toList();
            return new Outcome(
                    name,
                    (completed - astray.get()) / (double) executions,
                    waits.size() / (nanos / 1e9),
                    waits);
        }
    }
}
