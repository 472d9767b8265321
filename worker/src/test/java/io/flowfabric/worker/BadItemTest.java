package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Contended;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;
import java.util.stream.Stream;

/** R3: one item that the store cannot take is no matter of the others in its batch. */
class BadItemTest {
    private static final Payload BAD = Payload.text("20");
    private static final int WORK = 40;

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final AtomicInteger largest = new AtomicInteger();

    @AfterEach
    void close() {
        world.close();
    }

    /** Whether a fence is that of the first lease of its execution. */
    private boolean isFirst(Fence fence) {
        return world.steps(fence.execution()).stream().filter(Transition::givesLease).count() == 1;
    }

    static Stream<RuntimeException> refusals() {
        return Stream.of(
                StoreFailure.refused("No such character.", new IllegalStateException("test")),
                new Invalid(Invalid.Code.TOO_LONG, "result", "By a test."),
                new IllegalArgumentException("a bug"),
                new NullPointerException("nothing there"));
    }

    @ParameterizedTest
    @MethodSource("refusals")
    void one_bad_ending_fails_for_good_with_its_reason_and_the_others_commit(
            RuntimeException refusal) {
        poison(BadItemTest::completesBadly, refusal);
        world.start(world.worker().concurrency(WORK).handle("echo", Task::input));

        eventually(
                "a bad one was among others",
                () -> {
                    var others = new ArrayList<>(world.submit("echo", WORK));
                    var bad = others.remove(20);
                    eventually("all others", () -> world.all(others, PublicState.COMPLETED));
                    eventually("the bad one", () -> world.state(bad) == PublicState.FAILED);
                    others.forEach(this::assertCompletedAtOnce);
                    var failure = world.result(bad).failure().orElseThrow();
                    assertThat(failure.category()).isEqualTo(Failure.PERMANENT);
                    assertThat(failure.message()).isEqualTo(refusal.getMessage());
                    return largest.get() > 1;
                });
    }

    private void assertCompletedAtOnce(ExecutionId id) {
        assertThat(world.steps(id))
                .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
    }

    @Test
    void an_ending_that_is_refused_in_its_answer_fails_for_good_too() {
        var refusal = new Invalid(Invalid.Code.TOO_LONG, "result", "By a test.");
        world.hook(
                (call, real) ->
                        call.equals("end") && items(real.argument(), BadItemTest::completesBadly)
                                ? List.of(Answer.refused(refusal))
                                : real.call());
        world.start(world.worker().handle("echo", Task::input));

        var id = world.submit("echo", BAD.asText(), Policy.DEFAULT);

        eventually("it has failed", () -> world.state(id) == PublicState.FAILED);
        assertThat(world.result(id).failure().orElseThrow().category())
                .isEqualTo(Failure.PERMANENT);
    }

    @Test
    void an_ending_that_is_refused_even_as_a_failure_gives_its_lease_back() {
        poison(
                ending -> isFirst(ending.fence()) && !(ending instanceof Ending.Release),
                new IllegalArgumentException("a bug"));
        world.start(world.worker().handle("echo", Task::input));

        var id = world.submit("echo");

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(world.steps(id))
                .containsSubsequence(Transition.RELEASE, Transition.CLAIM, Transition.COMPLETE);
    }

    @Test
    void a_lease_that_cannot_even_be_given_back_is_left_to_the_end_of_its_session() {
        var refused = new AtomicInteger();
        var unlucky = world.submit("echo");
        poison(
                ending -> {
                    boolean its = ending.fence().execution().equals(unlucky);
                    refused.addAndGet(its ? 1 : 0);
                    return its;
                },
                new IllegalArgumentException("a bug"));
        var worker = world.start(world.worker().handle("echo", Task::input));
        eventually("it was refused as all it could be", () -> refused.get() == 3);

        var others = world.submit("echo", 5);
        eventually("the others are done", () -> world.all(others, PublicState.COMPLETED));
        worker.stop();

        eventually("it waits again", () -> world.state(unlucky) == PublicState.WAITING);
        assertThat(refused).hasValue(3);
    }

    @Test
    void a_store_that_nobody_could_use_now_condemns_nothing() {
        var calls = new AtomicInteger();
        world.hook(
                (call, real) -> {
                    if (call.equals("end") && calls.incrementAndGet() <= 3) {
                        throw new Unavailable("Not migrated yet.");
                    }
                    return real.call();
                });
        world.start(world.worker().handle("echo", Task::input));

        var id = world.submit("echo");

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(calls.get()).isGreaterThan(3);
    }

    /**
     * A store that cannot take something now may mean one row: one that another client has locked,
     * or one on a page that cannot be read.
     */
    @Test
    void endings_that_cannot_be_taken_now_hold_up_no_others_and_are_repeated_until_they_can()
            throws Exception {
        var stuck = ConcurrentHashMap.<ExecutionId>newKeySet();
        var returned = new CountDownLatch(WORK);
        var locked = new AtomicBoolean(true);
        world.hook(
                (call, real) -> {
                    if (call.equals("end")) {
                        returned.await();
                        var ends = executions(real.argument());
                        if (stuck.isEmpty() && ends.size() > 9) {
                            stuck.addAll(List.of(ends.getFirst(), ends.getLast()));
                        }
                        if (locked.get() && !Collections.disjoint(ends, stuck)) {
                            throw new Contended("a row", Duration.ofMillis(1));
                        }
                    }
                    return real.call();
                });
        world.start(
                world.worker()
                        .concurrency(WORK)
                        .handle(
                                "echo",
                                task -> {
                                    returned.countDown();
                                    return task.input();
                                }));

        var ids = world.submit("echo", WORK);
        eventually("there are such endings", () -> stuck.size() == 2);
        var others = ids.stream().filter(id -> !stuck.contains(id)).toList();
        eventually("all others", () -> world.all(others, PublicState.COMPLETED));
        var next = world.submit("echo", WORK);
        eventually("what comes after them", () -> world.all(next, PublicState.COMPLETED));
        assertThat(stuck).allMatch(id -> world.state(id) == PublicState.ACTIVE);

        locked.set(false);
        eventually("they, too", () -> world.all(ids, PublicState.COMPLETED));
        ids.forEach(this::assertCompletedAtOnce);
    }

    private static List<ExecutionId> executions(Object endings) {
        return ((List<?>) endings)
                .stream().map(ending -> ((Ending) ending).fence().execution()).toList();
    }

    @Test
    void one_bad_report_of_usage_fails_its_own_handler_and_no_other() {
        world.memory
                .budgets()
                .define(Budget.of("team", "tokens", 1_000_000), new Attribution("ada", "a test"));
        world.hook(
                (call, real) -> {
                    if (call.equals("spend")
                            && real.argument() instanceof List<?> reports
                            && reports.stream().anyMatch(BadItemTest::spendsBadly)) {
                        largest.accumulateAndGet(reports.size(), Math::max);
                        throw new NullPointerException("nothing there");
                    }
                    return real.call();
                });
        world.start(
                world.worker()
                        .concurrency(WORK)
                        .handle(
                                "spend",
                                task -> {
                                    var bad = task.input().asText().equals("bad");
                                    var key = bad ? "bad" : task.execution().toString();
                                    task.spend("team", "tokens", 1, key);
                                    return Payload.EMPTY;
                                }));

        eventually(
                "a bad one was among others",
                () -> {
                    var others = world.submit("spend", WORK - 1);
                    var bad = world.submit("spend", "bad", Policy.DEFAULT.retry(Retry.NEVER));
                    eventually("all others", () -> world.all(others, PublicState.COMPLETED));
                    eventually("the bad one", () -> world.state(bad) == PublicState.FAILED);
                    others.forEach(this::assertCompletedAtOnce);
                    return largest.get() > 1;
                });
    }

    /** Throws whenever such an ending is in a commit, and notes how large the commit was. */
    private void poison(Predicate<Ending> bad, RuntimeException refusal) {
        world.hook(
                (call, real) -> {
                    if (call.equals("end") && items(real.argument(), bad)) {
                        largest.accumulateAndGet(real.size(), Math::max);
                        throw refusal;
                    }
                    return real.call();
                });
    }

    private static boolean items(Object argument, Predicate<Ending> bad) {
        return argument instanceof List<?> items
                && items.stream().map(Ending.class::cast).anyMatch(bad);
    }

    private static boolean completesBadly(Ending ending) {
        return ending instanceof Ending.Complete(var fence, var result) && result.equals(BAD);
    }

    private static boolean spendsBadly(Object report) {
        return report instanceof UsageReport usage && usage.key().equals("bad");
    }
}
