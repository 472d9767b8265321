package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

/** What handlers report to budgets through their tasks. */
class UsageTest {
    private static final Attribution ADA = new Attribution("ada", "a test");

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Queue<Integer> sizes = new ConcurrentLinkedQueue<>();
    private final Queue<Long> answers = new ConcurrentLinkedQueue<>();
    private final Map<String, FlowFabricException> refusals = new ConcurrentHashMap<>();

    @BeforeEach
    void define() {
        world.memory.budgets().define(Budget.of("team", "tokens", 1000), ADA);
    }

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void what_handlers_report_at_the_same_time_is_one_call_and_each_gets_its_own_answer() {
        blockReports();
        world.start(world.worker().concurrency(100).handle("spend", this::spend));
        var ids = new ArrayList<ExecutionId>();
        ids.add(world.submit("spend", "first", Policy.DEFAULT));
        eventually("a committer is busy", () -> world.calls("spend") == 1);
        ids.add(world.submit("spend", "second", Policy.DEFAULT));
        eventually("both committers are busy", () -> world.calls("spend") == 2);
        ids.addAll(world.submit("spend", 98));
        eventually("all run", () -> world.tally.of("claimed") == 100);
        Eventually.pause(Duration.ofMillis(50));

        go.countDown();

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(sizes.stream().mapToInt(Integer::intValue).sum()).isEqualTo(100);
        assertThat(sizes.size()).isLessThanOrEqualTo(6);
        assertThat(answers)
                .as("how the budget stood after each")
                .containsExactlyInAnyOrderElementsOf(
                        IntStream.rangeClosed(1, 100).mapToObj(Long::valueOf).toList());
        assertThat(used()).isEqualTo(100);
    }

    @Test
    void a_report_that_is_refused_is_no_matter_of_the_others() {
        blockReports();
        world.start(
                world.worker()
                        .concurrency(10)
                        .handle("spend", this::spend)
                        .handle("nobody", task -> refused(task, "nobody", "x"))
                        .handle("taken", task -> refused(task, "team", "0")));
        var first = world.submit("spend", 1).getFirst();
        go.countDown();
        eventually("it is done", () -> world.state(first) == PublicState.COMPLETED);

        var refused = List.of(world.submit("nobody"), world.submit("taken"));
        var others = world.submit("spend", 5).subList(1, 5);

        eventually("they are done", () -> world.all(refused, PublicState.COMPLETED));
        eventually("the others too", () -> world.all(others, PublicState.COMPLETED));
        assertThat(refusals.get("nobody")).isInstanceOf(NotFound.class);
        assertThat(refusals.get("taken")).isInstanceOf(Conflict.class);
        assertThat(used()).isEqualTo(5);
    }

    @Test
    void a_call_that_failed_is_told_and_the_same_report_again_counts_once() {
        var calls = new AtomicInteger();
        world.hook(
                (call, real) -> {
                    var answer = real.call();
                    if (call.equals("spend") && calls.incrementAndGet() == 1) {
                        throw new StoreFailure("Applied.", true, new IllegalStateException("test"));
                    }
                    return answer;
                });
        world.start(
                world.worker()
                        .handle(
                                "again",
                                task -> {
                                    refused(task, "team", "a");
                                    answers.add(
                                            task.spend("team", "tokens", 7, "a")
                                                    .levels()
                                                    .getOrDefault("tokens", Level.ZERO)
                                                    .used());
                                    return Payload.EMPTY;
                                }));

        var id = world.submit("again");

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(refusals.get("again")).isInstanceOf(StoreFailure.class);
        assertThat(answers).containsExactly(7L);
    }

    @Test
    void a_handler_whose_lease_is_lost_is_told_so() {
        var lost = new ConcurrentLinkedQueue<Boolean>();
        var begun = new CountDownLatch(1);
        world.start(
                world.worker()
                        .handle(
                                "late",
                                task -> {
                                    begun.countDown();
                                    await(go);
                                    refused(task, "team", "a");
                                    lost.add(task.leaseLost());
                                    return Payload.EMPTY;
                                }));
        var id = world.submit("late");
        await(begun);
        world.memory.operations().act(List.of(new OperatorCommand.Cancel(id)), ADA);

        go.countDown();

        eventually("it knows", () -> lost.contains(true));
        assertThat(refusals.get("late")).isInstanceOf(LeaseLost.class);
        assertThat(used()).isZero();
    }

    @Test
    void a_handler_that_outlives_its_worker_is_told_that_its_lease_is_lost() {
        var begun = new CountDownLatch(1);
        var worker =
                world.start(
                        world.worker()
                                .handle(
                                        "deaf",
                                        task -> {
                                            begun.countDown();
                                            await(go);
                                            return refused(task, "team", "a");
                                        }));
        world.submit("deaf");
        await(begun);
        worker.stop(Duration.ZERO);

        go.countDown();

        eventually("it knows", () -> refusals.get("deaf") instanceof LeaseLost);
        assertThat(used()).isZero();
    }

    /** Reports one token, under its input as the key. */
    private Payload spend(Task task) {
        var view = task.spend("team", "tokens", 1, task.input().asText());
        answers.add(view.levels().getOrDefault("tokens", Level.ZERO).used());
        return Payload.EMPTY;
    }

    /** Reports seven, and remembers why that was refused. */
    private Payload refused(Task task, String budget, String key) {
        try {
            task.spend(budget, "tokens", 7, key);
        } catch (FlowFabricException refusal) {
            refusals.put(task.kind(), refusal);
        }
        return Payload.EMPTY;
    }

    private long used() {
        return world.memory
                .budgets()
                .describe(Namespace.DEFAULT, "team")
                .levels()
                .getOrDefault("tokens", Level.ZERO)
                .used();
    }

    private void blockReports() {
        world.hook(
                (call, real) -> {
                    if (call.equals("spend")) {
                        go.await();
                        sizes.add(real.size());
                    }
                    return real.call();
                });
    }

    /** Waits, and does not listen to anything else. */
    static void await(CountDownLatch latch) {
        while (latch.getCount() > 0) {
            try {
                latch.await();
            } catch (InterruptedException notListening) {
                // It is told that its time is over.
            }
        }
    }
}
