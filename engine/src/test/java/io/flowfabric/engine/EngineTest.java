package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submitted;
import io.flowfabric.testkit.fault.HookedStore;
import io.flowfabric.testkit.memory.MemoryStore;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.InstantSource;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;

class EngineTest {
    private final AtomicInteger submits = new AtomicInteger();
    private final Tally tally = new Tally();
    private final Store store =
            HookedStore.over(
                    new MemoryStore(InstantSource.system()),
                    (call, real) -> {
                        if (call.equals("submit")) {
                            submits.incrementAndGet();
                        }
                        return real.call();
                    });
    private final Engine engine = new Engine(store, EngineOptions.DEFAULT, tally);

    @BeforeEach
    void start() {
        engine.start();
    }

    @AfterEach
    void stop() {
        engine.stop();
    }

    @Test
    void much_work_goes_to_the_store_in_chunks_and_is_answered_in_order() {
        var submissions =
                IntStream.range(0, 2500)
                        .mapToObj(i -> Submission.of("kind", Payload.EMPTY))
                        .toList();

        var answers = engine.submissions().submit(submissions);

        assertThat(answers.stream().map(answer -> answer.orThrow().id()))
                .isEqualTo(submissions.stream().map(Submission::id).toList());
        assertThat(submits).hasValue(3);
        assertThat(tally.of("submitted")).isEqualTo(2500);
    }

    @Test
    void large_inputs_go_to_the_store_in_chunks_although_they_are_few() {
        var large = Payload.of(new byte[(int) Limit.INPUT_BYTES.max()], "application/octet-stream");
        int fitting = (int) (Chunks.BYTES / large.size());

        engine.submissions()
                .submit(
                        IntStream.rangeClosed(0, fitting)
                                .mapToObj(i -> Submission.of("kind", large))
                                .toList())
                .forEach(Answer::orThrow);

        assertThat(submits).hasValue(2);
    }

    @Test
    void an_engine_that_has_stopped_takes_no_work() {
        engine.stop();

        assertThatThrownBy(() -> engine.submit(Submission.of("kind", Payload.EMPTY)))
                .isInstanceOf(Unavailable.class);
        assertThat(submits).hasValue(0);
    }

    @Test
    void what_was_there_before_is_not_counted_again() {
        var submission = Submission.of("kind", Payload.EMPTY);

        engine.submissions().submit(List.of(submission));
        engine.submissions().submit(List.of(submission));

        assertThat(tally.of("submitted")).isEqualTo(1);
    }

    /** A program that acts on what is counted would act on nothing. */
    @Test
    void what_did_not_happen_is_not_counted() {
        var submission = Submission.of("kind", Payload.EMPTY).lane("elsewhere");
        store.submissions().submit(List.of(submission));
        var session = Session.of("worker", "here", "default");
        engine.sessions().open(session);

        engine.submit(submission);
        engine.claims().claim(new Claim(session.id(), 1, 1));
        eventually("it has swept", () -> tally.of("swept TIMERS") > 0);
        eventually("it has forgotten", () -> tally.of("swept RETENTION") > 0);

        assertThat(tally.of("claim nothing")).isEqualTo(1);
        assertThat(tally.heardOf("submitted")).isFalse();
        assertThat(tally.heardOf("claimed")).isFalse();
        engine.stop();
        assertThat(tally.heardOf("sweep errors TIMERS")).isFalse();
        assertThat(tally.heardOf("sweep errors RETENTION")).isFalse();
    }

    @Test
    void one_submission_throws_its_refusal_and_is_counted_when_it_is_none() {
        var submission = Submission.of("kind", Payload.EMPTY).lane("mail").key("once");

        assertThat(engine.submit(submission)).isEqualTo(new Submitted(submission.id(), true));
        assertThat(engine.submit(submission)).isEqualTo(new Submitted(submission.id(), false));
        assertThatThrownBy(() -> engine.submit(submission.creator("another")))
                .isInstanceOf(Conflict.class);
        assertThat(tally.of("submitted")).isEqualTo(1);
        assertThat(engine.lanes().describe(Lane.of("mail")).lane()).isEqualTo(Lane.of("mail"));
    }

    @Test
    void a_claim_is_counted_wherever_its_session_was_opened() {
        engine.submit(Submission.of("kind", Payload.EMPTY));
        engine.submit(Submission.of("kind", Payload.EMPTY));
        var here = Session.of("worker", "here", "default");
        engine.sessions().open(here);
        var elsewhere = Session.of("worker", "elsewhere", "default");
        store.sessions().open(elsewhere);

        assertThat(engine.claims().claim(new Claim(here.id(), 1, 1)).leases()).hasSize(1);
        assertThat(engine.claims().claim(new Claim(elsewhere.id(), 1, 1)).leases()).hasSize(1);
        assertThat(tally.of("claimed")).isEqualTo(2);

        engine.sessions().close(here.id());
        assertThatThrownBy(() -> engine.claims().claim(new Claim(here.id(), 2, 1)))
                .isInstanceOf(NotFound.class);
        assertThatThrownBy(() -> engine.claims().claim(new Claim(SessionId.mint(), 1, 1)))
                .isInstanceOf(NotFound.class);
    }

    @Test
    void a_metric_that_fails_undoes_nothing() {
        EngineMetrics broken =
                new EngineMetrics() {
                    @Override
                    public void submitted(int count) {
                        throw new IllegalStateException("broken by a test");
                    }
                };
        var other = new Engine(store, EngineOptions.DEFAULT, broken);

        var answers = other.submissions().submit(List.of(Submission.of("kind", Payload.EMPTY)));

        assertThat(answers).allMatch(Answer::isDone);
    }

    @Test
    void the_ends_of_leases_are_counted_by_their_kind_and_lost_ones_too() {
        engine.submissions()
                .submit(
                        IntStream.range(0, 3)
                                .mapToObj(i -> Submission.of("kind", Payload.EMPTY))
                                .toList());
        var session = Session.of("worker", "one", "default");
        store.sessions().open(session);
        var leases = store.claims().claim(new Claim(session.id(), 1, 3)).leases();
        List<Ending> endings =
                List.of(
                        new Ending.Complete(leases.get(0).fence(), Payload.EMPTY),
                        new Ending.Complete(leases.get(1).fence(), Payload.EMPTY),
                        new Ending.Release(leases.get(2).fence()));

        assertThat(engine.leases().end(endings)).allMatch(Answer::isDone);
        assertThat(tally.of("ended COMPLETE")).isEqualTo(2);
        assertThat(tally.of("ended RELEASE")).isEqualTo(1);

        var late = new Progress(leases.get(2).fence(), 50, "half");
        assertThat(engine.leases().progress(List.of(late))).noneMatch(Answer::isDone);
        store.claims().claim(new Claim(session.id(), 2, 1));
        assertThat(engine.leases().end(List.of(endings.get(2)))).noneMatch(Answer::isDone);
        assertThat(tally.of("fenced PROGRESS")).isEqualTo(1);
        assertThat(tally.of("fenced END")).isEqualTo(1);
    }
}
