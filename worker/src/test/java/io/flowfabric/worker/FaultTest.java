package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.fault.Witness;
import io.flowfabric.testkit.history.History;
import io.flowfabric.testkit.history.HistoryAssert;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/**
 * A store that fails every now and then, in every kind of call, before it has done what was asked
 * or after.
 */
class FaultTest {
    private static final int WORK = 30;
    private static final Duration TTL = Duration.ofMillis(600);
    private static final Set<String> RARE = Set.of("open", "close", "heartbeat");
    private static final Set<Transition> ENDS =
            EnumSet.of(Transition.COMPLETE, Transition.FAIL, Transition.CANCEL, Transition.EXPIRE);
    private static final Policy POLICY =
            Policy.DEFAULT
                    .maxReclaims(1000)
                    .retry(Retry.retries(1000).backoff(Backoff.fixed(Duration.ofMillis(2))));

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final Set<String> failed = ConcurrentHashMap.newKeySet();
    private final Set<Fence> begun = ConcurrentHashMap.newKeySet();
    private final Witness witness = new Witness(world.clock);
    private final AtomicInteger twice = new AtomicInteger();
    private final AtomicBoolean somebodyDies = new AtomicBoolean();
    private volatile boolean healthy;

    @AfterEach
    void close() {
        healthy = true;
        world.close();
    }

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 5, 8})
    void everything_ends_exactly_once(long seed) {
        var engines =
                IntStream.range(0, 2).mapToObj(i -> faulty(new Random(seed + 1000L * i))).toList();
        engines.forEach(this::startWorker);

        var ids = new ArrayList<ExecutionId>();
        eventually(
                "every kind of call has failed in both ways",
                () -> {
                    somebodyDies.set(true);
                    var wave = submit(engines.getFirst());
                    eventually("all are done", () -> world.all(wave, PublicState.COMPLETED));
                    ids.addAll(wave);
                    return failed.containsAll(everyFault());
                });

        world.stopWorkers();
        HistoryAssert.assertThat(
                        History.of(world.memory, world.clock.instant(), witness.acknowledged())
                                .meantToBeDrained())
                .isSound();
        for (var id : ids) {
            assertThat(world.steps(id).stream().filter(ENDS::contains)).hasSize(1);
            assertThat(world.result(id).result()).contains(Payload.text("done " + id));
        }
        assertThat(twice).as("leases that were worked on twice").hasValue(0);
    }

    private static List<String> everyFault() {
        return Stream.of(
                        "submit",
                        "open",
                        "claim",
                        "progress",
                        "end",
                        "heartbeat",
                        "close",
                        "tick",
                        "nextDue")
                .flatMap(call -> Stream.of(call + " before", call + " after"))
                .toList();
    }

    /** Ends a session behind its worker's back, so that sessions are closed and opened. */
    private void killWhoWorksOn(ExecutionId execution) {
        world.view(execution)
                .owner()
                .ifPresent(owner -> world.memory.sessions().close(owner.session()));
    }

    private Engine faulty(Random random) {
        // Whoever starts an engine or a worker wants to hear that it does not work.
        var calm = new AtomicInteger(10);
        return world.engine(
                witness.watching(
                        (call, real) -> {
                            // What is called often need not fail often.
                            int chance;
                            synchronized (random) {
                                chance = random.nextInt(RARE.contains(call) ? 4 : 10);
                            }
                            if (healthy || call.equals("listen") || calm.decrementAndGet() > 0) {
                                return real.call();
                            }
                            if (chance == 0) {
                                failed.add(call + " before");
                                throw failure(random);
                            }
                            var answer = real.call();
                            if (chance == 1) {
                                failed.add(call + " after");
                                throw new StoreFailure("The answer is lost.", true, cause());
                            }
                            return answer;
                        }));
    }

    private static StoreFailure failure(Random random) {
        synchronized (random) {
            return new StoreFailure("Nothing was done.", random.nextBoolean(), cause());
        }
    }

    private static IllegalStateException cause() {
        return new IllegalStateException("by a test");
    }

    private void startWorker(Engine engine) {
        world.start(
                Worker.on(engine)
                        .lane(WorkerScenario.LANE.name())
                        .ttl(TTL)
                        .concurrency(4)
                        .handleWithResult("welcome", this::handle));
    }

    private TaskResult handle(Task task) {
        if (!begun.add(task.fence())) {
            twice.incrementAndGet();
        }
        if (somebodyDies.compareAndSet(true, false)) {
            killWhoWorksOn(task.execution());
        }
        long choice = Math.abs(task.fence().hashCode() % 10);
        if (choice == 0) {
            throw new IllegalStateException("again");
        }
        if (choice == 1) {
            return TaskResult.release();
        }
        if (choice == 2) {
            return TaskResult.delay(Due.in(Duration.ofMillis(3)));
        }
        if (choice < 5) {
            task.progress(50, "half");
        }
        if (choice == 6) {
            Eventually.pause(Duration.ofMillis(30));
        }
        return TaskResult.complete(Payload.text("done " + task.execution()));
    }

    private List<ExecutionId> submit(Engine engine) {
        var submissions =
                IntStream.range(0, WORK)
                        .mapToObj(i -> Submission.of("welcome", Payload.text("" + i)))
                        .map(submission -> submission.lane(WorkerScenario.LANE).policy(POLICY))
                        .toList();
        for (var submission : submissions) {
            while (!submitted(engine, submission)) {
                // The same submission again is the same execution.
            }
        }
        return submissions.stream().map(Submission::id).toList();
    }

    private static boolean submitted(Engine engine, Submission submission) {
        try {
            return engine.submissions().submit(List.of(submission)).getFirst().isDone();
        } catch (StoreFailure e) {
            return false;
        }
    }
}
