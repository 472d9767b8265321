package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.Transition;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.LogBook;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.engine.Time;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.BooleanSupplier;

class CommitTest {
    private final IllegalStateException cause = new IllegalStateException("test");

    private final WorkerScenario world = new WorkerScenario(Time.SYSTEM);
    private final CountDownLatch go = new CountDownLatch(1);
    private final Queue<Integer> commits = new ConcurrentLinkedQueue<>();

    @AfterEach
    void close() {
        go.countDown();
        world.close();
    }

    @Test
    void every_end_is_counted_for_its_lane() {
        world.start(world.worker().handle("welcome", task -> Payload.EMPTY));

        world.submit("welcome", 3);

        var counted = "attempted %s COMPLETE".formatted(WorkerScenario.LANE.name());
        eventually("all are counted", () -> world.tally.of(counted) == 3);
    }

    @Test
    void a_commit_takes_whatever_queued_up_during_the_one_before() {
        blockCommits();
        world.start(world.worker().concurrency(100).handle("welcome", task -> Payload.EMPTY));
        var ids = new ArrayList<>(world.submit("welcome", 1));
        eventually("a committer is busy", () -> world.calls("end") == 1);
        ids.addAll(world.submit("welcome", 99));
        eventually("both committers are busy", () -> world.calls("end") == 2);
        eventually("all the others wait", () -> world.tally.of("claimed") == 100);
        Eventually.pause(Duration.ofMillis(50));

        go.countDown();

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        eventually("all is counted", () -> committed() == 100);
        assertThat(commits.size()).isLessThanOrEqualTo(6);
    }

    @Test
    void no_commit_has_more_than_its_limit_and_no_more_is_claimed_than_can_be_committed() {
        blockCommits();
        world.start(world.worker().concurrency(40).handle("welcome", task -> Payload.EMPTY));
        var ids = world.submit("welcome", 2000);
        eventually("both committers are busy", () -> world.calls("end") == 2);
        eventually("much waits", () -> world.tally.of("claimed") > 512);
        Eventually.pause(Duration.ofMillis(100));
        // Eight times the slots and two commits on their way, and nine times the slots behind them.
        assertThat(world.tally.of("claimed")).isLessThanOrEqualTo(320 + 512 + 360);

        go.countDown();

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        eventually("all is counted", () -> committed() == 2000);
        assertThat(commits).allMatch(size -> size <= Committers.BATCH);
        assertThat(commits).contains(Committers.BATCH);
    }

    @Test
    void no_commit_has_more_bytes_than_one_should() {
        blockCommits();
        var large = Payload.of(new byte[(1 << 20) - 1], "application/octet-stream");
        var ids = world.submit("welcome", 20);
        world.start(world.worker().concurrency(20).handle("welcome", task -> large));
        eventually("both committers are busy", () -> world.calls("end") == 2);

        go.countDown();

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        eventually("all is counted", () -> committed() == 20);
        assertThat(commits).allMatch(size -> size <= 8);
    }

    @Test
    void a_commit_that_failed_before_or_after_it_was_applied_is_repeated_until_it_is_answered() {
        var failures = new AtomicInteger();
        world.hook(
                (call, real) -> {
                    if (!call.equals("end") || failures.get() >= 6) {
                        return real.call();
                    }
                    int failure = failures.incrementAndGet();
                    if (failure % 3 == 2) {
                        real.call();
                        throw new StoreFailure("Applied.", true, cause);
                    }
                    throw switch (failure) {
                        case 1, 4 -> new StoreFailure("Not applied.", false, cause);
                        case 3 -> new Contended("the store", Duration.ofMillis(1));
                        default -> new Unavailable("Not migrated yet.");
                    };
                });
        world.start(world.worker().handle("welcome", task -> Payload.EMPTY));

        var ids = world.submit("welcome", 5);

        eventually("all are done", () -> world.all(ids, PublicState.COMPLETED));
        eventually("all is answered", () -> world.tally.of("ended COMPLETE") == 5);
        assertThat(failures).hasValue(6);
        for (var id : ids) {
            assertThat(world.steps(id))
                    .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
        }
    }

    @Test
    void one_ending_without_an_answer_does_not_hold_up_the_others() {
        var unlucky = world.submit("welcome", 1).getFirst();
        var refusals = new AtomicInteger();
        refuse(
                () -> refusals.incrementAndGet() <= 3,
                new StoreFailure("Unreadable.", false, cause));
        world.start(world.worker().concurrency(1).handle("welcome", task -> Payload.EMPTY));
        eventually("it was refused", () -> refusals.get() >= 1);

        var others = world.submit("welcome", 20);

        eventually("the others are done", () -> world.all(others, PublicState.COMPLETED));
        eventually("it is done too", () -> world.state(unlucky) == PublicState.COMPLETED);
    }

    @Test
    void the_end_of_work_that_cannot_be_read_is_kept_until_it_can_be() {
        var refusals = new AtomicInteger();
        refuse(
                () -> refusals.incrementAndGet() <= 3,
                StoreFailure.unreadable("The execution", cause));
        world.start(world.worker().handle("welcome", task -> Payload.text("done")));

        var id = world.submit("welcome");

        eventually("it is done", () -> world.state(id) == PublicState.COMPLETED);
        assertThat(refusals.get()).isGreaterThan(3);
        assertThat(world.steps(id))
                .containsExactly(Transition.SUBMIT, Transition.CLAIM, Transition.COMPLETE);
    }

    /** A store that is away would be asked without a pause by every committer of every worker. */
    @Test
    void a_committer_whose_commit_got_no_answer_waits_before_it_takes_more() {
        var time = new ManualTime();
        var committers = new Committers<>(new Words(), time, "mailer", () -> {}, new LogBook());
        committers.start();
        committers.add("a");
        BooleanSupplier waits =
                () ->
                        time.waiting("mailer-committer") + time.waiting("mailer-second-committer")
                                == 1;
        eventually("it waits", waits);

        time.pass(Duration.ofMillis(9));
        assertThat(waits.getAsBoolean()).isTrue();
        time.pass(Duration.ofMillis(1));

        eventually("it goes on", () -> !waits.getAsBoolean());
        var stopping = Thread.startVirtualThread(committers::stop);
        eventually(time, "it stops", () -> !stopping.isAlive());
    }

    @Test
    void committers_that_stop_without_an_answer_say_what_becomes_of_it() {
        var time = new ManualTime();
        var log = new LogBook();
        var committers = new Committers<>(new Words(), time, "mailer", () -> {}, log);
        committers.start();
        committers.add("a");

        var stopping = Thread.startVirtualThread(committers::stop);
        eventually(time, "it stops", () -> !stopping.isAlive());

        assertThat(log.lines())
                .extracting(LogBook.Line::text)
                .contains(
                        "mailer stopped before the store had answered 1 words. What was not written"
                                + " is repeated by another worker when the session ends; look for"
                                + " an outage of the store above.");
    }

    @Test
    void one_lost_lease_is_no_matter_of_the_others() throws Exception {
        var started = new CountDownLatch(3);
        world.start(
                world.worker()
                        .handle(
                                "welcome",
                                task -> {
                                    started.countDown();
                                    go.await();
                                    return Payload.EMPTY;
                                }));
        var ids = world.submit("welcome", 3);
        started.await();
        world.memory
                .operations()
                .act(
                        List.of(new OperatorCommand.Cancel(ids.get(1))),
                        new Attribution("ada", "not needed"));

        go.countDown();

        eventually(
                "the others are done",
                () -> world.all(List.of(ids.get(0), ids.get(2)), PublicState.COMPLETED));
        eventually("it is counted", () -> world.tally.of("lease lost") == 1);
        assertThat(world.state(ids.get(1))).isEqualTo(PublicState.CANCELLED);
    }

    @Test
    void a_contradiction_is_reported_and_the_worker_goes_on() {
        var refusals = new AtomicInteger();
        refuse(
                () -> refusals.incrementAndGet() == 1,
                new Conflict(Conflict.Code.ENDED_DIFFERENTLY, "x", "Ended otherwise."));
        world.start(world.worker().concurrency(1).handle("welcome", task -> Payload.EMPTY));

        world.submit("welcome", 1);
        eventually("it was refused", () -> refusals.get() >= 1);
        var next = world.submit("welcome", 3);

        eventually("it goes on", () -> world.all(next, PublicState.COMPLETED));
    }

    private int committed() {
        return commits.stream().mapToInt(Integer::intValue).sum();
    }

    private void blockCommits() {
        world.hook(
                (call, real) -> {
                    if (!call.equals("end")) {
                        return real.call();
                    }
                    go.await();
                    var answers = (List<?>) real.call();
                    commits.add(answers.size());
                    return answers;
                });
    }

    /** Refuses a whole commit, item by item, and applies nothing of it, when a rule says so. */
    private void refuse(BooleanSupplier rule, FlowFabricException refusal) {
        world.hook(
                (call, real) ->
                        call.equals("end") && rule.getAsBoolean()
                                ? Collections.nCopies(real.size(), Answer.refused(refusal))
                                : real.call());
    }

    /** Words for a store that is away. */
    private final class Words implements Commit<String> {
        @Override
        public String items() {
            return "words";
        }

        @Override
        public Set<String> commit(List<String> batch) {
            throw new StoreFailure("It is away.", false, cause);
        }

        @Override
        public boolean failedAlone(String item, Throwable why) {
            return false;
        }

        @Override
        public void lost(String item, Throwable why) {}
    }
}
