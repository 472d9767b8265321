package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;

class WorkerTest {
    private static final Policy TRY_TWICE =
            Policy.DEFAULT.retry(Retry.retries(1).backoff(Backoff.fixed(Duration.ofMillis(1))));

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void what_a_handler_returns_is_the_result() {
        world.start(world.worker().handle("welcome", task -> Payload.text("hi " + text(task))));

        var id = world.submit("welcome", "ada", Policy.DEFAULT);

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(world.result(id).result()).contains(Payload.text("hi ada"));
        assertThat(world.tally.of("claimed")).isEqualTo(1);
        eventually("it is counted", () -> world.tally.of("ended COMPLETE") == 1);
    }

    @Test
    void a_task_says_what_it_is() {
        var seen = new AtomicReference<String>("");
        var submission =
                Submission.of("welcome", Payload.text("ada"))
                        .lane(WorkerScenario.LANE)
                        .tag("customer", "7")
                        .policy(Policy.DEFAULT.deadline(Due.in(Duration.ofHours(1))));
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    seen.set(
                                            "%s %s %s %s %s %d %s %s %s"
                                                    .formatted(
                                                            task.execution(),
                                                            task.kind(),
                                                            task.lane(),
                                                            task.input().asText(),
                                                            task.tags().values(),
                                                            task.attempt(),
                                                            task.fence(),
                                                            task.deadline().isPresent(),
                                                            task.stopRequested()));
                                    return Payload.EMPTY;
                                }));

        world.engine().submissions().submit(List.of(submission));

        eventually("it has run", () -> !seen.get().isEmpty());
        assertThat(seen.get())
                .isEqualTo(
                        "%s welcome default/emails ada {customer=7} 1 %s true false"
                                .formatted(
                                        submission.id(),
                                        new Fence(
                                                submission.id(),
                                                0,
                                                world.view(submission.id()).epoch())));
    }

    @Test
    void a_handler_that_throws_is_tried_again_as_the_policy_says() {
        var attempts = ConcurrentHashMap.<Integer>newKeySet();
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    attempts.add(task.attempt());
                                    throw new IllegalStateException("no luck");
                                }));

        var id = world.submit("welcome", "", TRY_TWICE);

        eventually("it has failed", () -> world.state(id) == PublicState.FAILED);
        assertThat(attempts).isEqualTo(Set.of(1, 2));
        var failure = world.result(id).failure().orElseThrow();
        assertThat(failure.category()).isEqualTo(Failure.TRANSIENT);
        assertThat(failure.message()).isEqualTo("no luck");
        assertThat(failure.detail()).contains("IllegalStateException").contains("WorkerTest");
    }

    @Test
    void a_failure_names_its_category() {
        world.start(
                world.worker()
                        .handle(
                                "hopeless",
                                task -> {
                                    throw TaskFailure.permanent("never");
                                })
                        .handle(
                                "own",
                                task -> {
                                    throw new TaskFailure("bank_closed", "on sundays");
                                })
                        .handle(
                                "error",
                                task -> {
                                    throw new StackOverflowError();
                                }));

        var hopeless = world.submit("hopeless", "", TRY_TWICE);
        var own = world.submit("own", "", Policy.DEFAULT.retry(Retry.NEVER));
        var error = world.submit("error", "", Policy.DEFAULT.retry(Retry.NEVER));

        var ids = List.of(hopeless, own, error);
        eventually("all have failed", () -> world.all(ids, PublicState.FAILED));
        assertThat(world.view(hopeless).attempts()).isEqualTo(1);
        assertThat(category(world.result(hopeless).failure())).isEqualTo(Failure.PERMANENT);
        assertThat(category(world.result(own).failure())).isEqualTo("bank_closed");
        assertThat(category(world.result(error).failure())).isEqualTo(Failure.TRANSIENT);
        assertThatThrownBy(() -> new TaskFailure("", "x")).isInstanceOf(Invalid.class);
    }

    @Test
    void an_exception_that_cannot_even_be_described_is_a_failure_all_the_same() {
        world.start(
                world.worker()
                        .concurrency(1)
                        .handle(
                                "welcome",
                                task -> {
                                    throw new Unspeakable();
                                })
                        .handle("next", task -> Payload.EMPTY));

        var id = world.submit("welcome", "", Policy.DEFAULT.retry(Retry.NEVER));

        eventually("it has failed", () -> world.state(id) == PublicState.FAILED);
        assertThat(world.result(id).failure().orElseThrow().message()).endsWith("Unspeakable");
        var next = world.submit("next");
        eventually("its slot is free", () -> world.state(next) == PublicState.COMPLETED);
    }

    private static final class Unspeakable extends RuntimeException {
        @Override
        public String getMessage() {
            throw new IllegalStateException("unspeakable");
        }
    }

    @Test
    void a_result_that_is_too_large_fails_for_good() {
        var huge = Payload.of(new byte[(int) Limit.RESULT_BYTES.max() + 1], "a/b");
        world.start(world.worker().handle("welcome", task -> huge));

        var id = world.submit("welcome", "", TRY_TWICE);

        eventually("it has failed", () -> world.state(id) == PublicState.FAILED);
        assertThat(category(world.result(id).failure())).isEqualTo(Failure.PERMANENT);
        assertThat(world.view(id).attempts()).isEqualTo(1);
    }

    @Test
    void a_handler_may_end_its_work_in_other_ways() {
        var times = new AtomicInteger();
        var elsewhereTimes = new AtomicInteger();
        world.start(
                world.worker()
                        .handleWithResult("off", task -> TaskResult.cancel("not needed any more"))
                        .handleWithResult("done", task -> TaskResult.complete(Payload.text("done")))
                        .handleWithResult(
                                "later",
                                task ->
                                        times.incrementAndGet() == 1
                                                ? TaskResult.delay(Due.in(Duration.ofMillis(20)))
                                                : TaskResult.complete(Payload.EMPTY))
                        .handleWithResult(
                                "elsewhere",
                                task ->
                                        elsewhereTimes.incrementAndGet() == 1
                                                ? TaskResult.release()
                                                : TaskResult.complete(Payload.EMPTY)));

        var off = world.submit("off");
        var later = world.submit("later");
        var elsewhere = world.submit("elsewhere");
        var done = world.submit("done");

        eventually("it is off", () -> world.state(off) == PublicState.CANCELLED);
        eventually(
                "all are done",
                () -> world.all(List.of(later, elsewhere, done), PublicState.COMPLETED));
        assertThat(world.view(off).failure().orElseThrow().message())
                .isEqualTo("not needed any more");
        assertThat(world.steps(later))
                .contains(Transition.DELAY, Transition.WAKE)
                .endsWith(Transition.COMPLETE);
        assertThat(world.steps(elsewhere))
                .containsSubsequence(Transition.RELEASE, Transition.CLAIM, Transition.COMPLETE);
        assertThat(world.view(elsewhere).attempts()).isEqualTo(1);
    }

    @Test
    void it_takes_only_what_it_has_a_handler_for_and_is_able_to_do() {
        world.start(world.worker().offers("gpu").handle("welcome", task -> Payload.EMPTY));

        var other = world.submit("other");
        var tpu = world.submit("welcome", "", Policy.DEFAULT.needs(Capabilities.of("tpu")));
        var gpu = world.submit("welcome", "", Policy.DEFAULT.needs(Capabilities.of("gpu")));

        eventually("it is done", () -> world.state(gpu) == PublicState.COMPLETED);
        assertThat(world.state(other)).isEqualTo(PublicState.WAITING);
        assertThat(world.state(tpu)).isEqualTo(PublicState.WAITING);
    }

    @Test
    void no_more_handlers_run_at_once_than_allowed() {
        var running = new AtomicInteger();
        var most = new AtomicInteger();
        world.start(
                world.worker()
                        .concurrency(4)
                        .handle(
                                "welcome",
                                task -> {
                                    most.accumulateAndGet(running.incrementAndGet(), Math::max);
                                    Eventually.pause(Duration.ofMillis(1));
                                    running.decrementAndGet();
                                    return Payload.EMPTY;
                                }));

        var ids = world.submit("welcome", 200);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(most.get()).isEqualTo(4);
    }

    @Test
    void handlers_do_not_inherit_what_others_left_behind() {
        var local = new InheritableThreadLocal<String>();
        var found = ConcurrentHashMap.<String>newKeySet();
        world.start(
                world.worker()
                        .concurrency(1)
                        .handle(
                                "welcome",
                                task -> {
                                    found.add(
                                            local.get()
                                                    + " "
                                                    + Thread.currentThread().isInterrupted());
                                    local.set("left behind");
                                    Thread.currentThread().interrupt();
                                    return Payload.EMPTY;
                                }));

        var ids = world.submit("welcome", 20);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        assertThat(found).containsExactly("null false");
    }

    @Test
    void progress_can_be_seen_while_it_runs() throws Exception {
        var go = new CountDownLatch(1);
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    task.progress(40, "almost half");
                                    go.await();
                                    return Payload.EMPTY;
                                }));

        var id = world.submit("welcome");

        eventually("it is seen", () -> world.view(id).progress().isPresent());
        assertThat(world.view(id).progress().orElseThrow().percent()).isEqualTo(40);
        go.countDown();
        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
    }

    @Test
    void a_report_that_the_store_cannot_take_is_no_failure() {
        world.hook(
                (call, real) -> {
                    if (call.equals("progress")) {
                        throw new StoreFailure(
                                "Broken by a test.", true, new IllegalStateException());
                    }
                    return real.call();
                });
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    task.progress(1, "");
                                    return Payload.EMPTY;
                                }));

        var id = world.submit("welcome");

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
    }

    @Test
    void a_worker_is_described_completely_or_not_at_all() {
        var builder = world.worker();
        assertThatThrownBy(builder::build).isInstanceOf(IllegalStateException.class);
        builder.handle("welcome", task -> Payload.EMPTY);
        assertThatThrownBy(() -> builder.handle("welcome", task -> Payload.EMPTY))
                .isInstanceOf(IllegalStateException.class);
        assertThatThrownBy(() -> builder.concurrency(0)).isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> builder.grace(Duration.ofMillis(-1))).isInstanceOf(Invalid.class);
        assertThatThrownBy(() -> world.worker().name("").handle("a", t -> Payload.EMPTY).build())
                .isInstanceOf(Invalid.class);
    }

    private static String text(Task task) {
        return task.input().asText();
    }

    private static String category(Optional<Failure> failure) {
        return failure.orElseThrow().category();
    }
}
