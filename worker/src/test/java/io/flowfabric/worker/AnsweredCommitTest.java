package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.engine.LogBook;
import io.flowfabric.engine.ManualTime;
import io.flowfabric.engine.Time;
import io.flowfabric.worker.AnsweredCommit.Waiting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Function;
import java.util.stream.IntStream;

/** What handlers are answered whose items were brought to the store in one call. */
@Timeout(60)
class AnsweredCommitTest {
    private final FlowFabricException locked = new Contended("a row", Duration.ofMillis(10));

    private final AtomicInteger calls = new AtomicInteger();

    @Test
    void one_item_whose_row_is_locked_is_refused_alone() {
        var batch = batch(200);
        var commit =
                commit(
                        items -> {
                            if (items.contains(0) || items.contains(77)) {
                                throw locked;
                            }
                            return done(items);
                        });

        commit.commit(batch);

        for (var waiting : batch) {
            boolean held = waiting.item() == 0 || waiting.item() == 77;
            assertThat(waiting.answer().join())
                    .isEqualTo(held ? Answer.refused(locked) : Answer.done(waiting.item()));
        }
        assertThat(calls.get()).isLessThan(60);
    }

    @Test
    void where_all_rows_are_locked_items_are_not_tried_one_by_one() {
        var batch = batch(200);
        var commit =
                commit(
                        items -> {
                            throw locked;
                        });

        commit.commit(batch);

        assertThat(batch)
                .allSatisfy(
                        waiting ->
                                assertThat(waiting.answer().join())
                                        .isEqualTo(Answer.refused(locked)));
        assertThat(calls.get()).isLessThan(20);
    }

    @Test
    void handlers_are_expected_to_have_more_only_when_the_store_took_what_they_said() {
        var taken = batch(2);
        var commit = commit(AnsweredCommitTest::done);
        commit.commit(taken);
        assertThat(commit.leadsToMore(taken)).isTrue();

        var refused = batch(2);
        var failing =
                commit(
                        items -> {
                            throw new StoreFailure("It is away.", false, locked);
                        });
        failing.commit(refused);
        assertThat(failing.leadsToMore(refused)).isFalse();
    }

    @Test
    void nobody_is_waited_for_long_after_a_commit_that_took_long() {
        var hours = new AtomicInteger();
        var time =
                new Time() {
                    @Override
                    public Instant instant() {
                        return Instant.now();
                    }

                    @Override
                    public long nanos() {
                        return System.nanoTime() + Duration.ofHours(hours.get()).toNanos();
                    }

                    @Override
                    public void park(long nanos) {
                        LockSupport.parkNanos(nanos);
                    }

                    @Override
                    public long jitter(long most) {
                        return 0;
                    }
                };
        var commit =
                commit(
                        items -> {
                            hours.incrementAndGet();
                            return done(items);
                        });
        var committers = new Committers<>(commit, time, "mailer", () -> {}, new LogBook());
        // Two for each committer, so that both of them would rather take two again.
        var first = batch(2);
        first.forEach(committers::add);
        committers.start();
        first.forEach(waiting -> waiting.answer().join());
        var second = batch(2);
        second.forEach(committers::add);
        second.forEach(waiting -> waiting.answer().join());

        var last = batch(1);
        last.forEach(committers::add);

        eventually("it is answered", () -> last.getFirst().answer().isDone());
        committers.stop();
    }

    @Test
    void handlers_are_told_when_their_worker_stops_before_the_store_has_taken_what_they_say()
            throws Exception {
        var time = new ManualTime();
        var go = new CountDownLatch(1);
        var commit =
                commit(
                        items -> {
                            UsageTest.await(go);
                            throw new IllegalStateException("a bug");
                        });
        var committers = new Committers<>(commit, time, "mailer", () -> {}, new LogBook());
        var batch = batch(2);
        batch.forEach(committers::add);
        committers.start();
        eventually("it is on its way", () -> calls.get() == 1);
        var stopping = Thread.startVirtualThread(committers::stop);
        eventually(time, "it stops", () -> !stopping.isAlive());

        go.countDown();

        eventually("they know", () -> batch.stream().allMatch(one -> one.answer().isDone()));
        assertThat(batch.getFirst().answer().join())
                .isInstanceOfSatisfying(
                        Answer.Refused.class,
                        refused -> assertThat(refused.error()).isInstanceOf(Unavailable.class));
    }

    private AnsweredCommit<Integer, Integer> commit(
            Function<List<Integer>, List<Answer<Integer>>> call) {
        return new AnsweredCommit<>(
                "numbers",
                number -> 0,
                items -> {
                    calls.incrementAndGet();
                    return call.apply(items);
                });
    }

    private static List<Answer<Integer>> done(List<Integer> items) {
        return items.stream().map(Answer::done).toList();
    }

    private static List<Waiting<Integer, Integer>> batch(int size) {
        return IntStream.range(0, size).mapToObj(n -> Waiting.<Integer, Integer>of(n)).toList();
    }
}
