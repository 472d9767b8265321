package io.flowfabric.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.FabricOptions;
import io.flowfabric.Kind;
import io.flowfabric.TaskHandler;
import io.flowfabric.WorkFailed;
import io.flowfabric.WorkHandle;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;

/** What a test can rely on. */
class TestFabricTest {
    private static final Kind<String, String> WORK = Kind.of("work", String.class, String.class);

    private final TestFabric test = new TestFabric();
    private final Instant begin = test.now();
    private final List<Duration> runs = new CopyOnWriteArrayList<>();

    @AfterEach
    void close() {
        test.close();
    }

    private WorkHandle<String> submit(
            Kind<String, String> kind, TaskHandler<String, String> handler) {
        test.fabric().worker("tester").on(kind, handler).start();
        return test.fabric().submit(kind.with("tea"));
    }

    private Duration elapsed() {
        return Duration.between(begin, test.now());
    }

    @Test
    void a_sleep_of_thirty_days_is_skipped() throws Exception {
        long real = System.nanoTime();
        var work =
                submit(
                        WORK,
                        (task, input) -> {
                            task.sleep("rest", Duration.ofDays(30));
                            return input;
                        });

        assertThat(test.await(work)).isEqualTo("tea");
        assertThat(elapsed()).isEqualTo(Duration.ofDays(30));
        System.out.printf("30 days took %d ms%n", (System.nanoTime() - real) / 1_000_000);
    }

    @Test
    void retries_come_at_the_moments_that_their_backoff_says() throws Exception {
        var retry =
                Retry.retries(4)
                        .backoff(Backoff.exponential(Duration.ofMinutes(1), Duration.ofHours(1), 2))
                        .jitter(0);
        var work =
                submit(
                        WORK.retry(retry),
                        (task, input) -> {
                            runs.add(elapsed());
                            throw new IllegalStateException("no");
                        });

        assertThatThrownBy(() -> test.await(work)).isInstanceOf(WorkFailed.class);
        assertThat(runs).extracting(Duration::toMinutes).containsExactly(0L, 1L, 3L, 7L, 15L);
    }

    @Test
    void an_attempt_that_takes_too_long_is_interrupted_and_tried_again() throws Exception {
        var retry = Retry.retries(1).backoff(Backoff.fixed(Duration.ofMinutes(5))).jitter(0);
        var interrupted = new CopyOnWriteArrayList<Duration>();
        var work =
                submit(
                        WORK.retry(retry).timeout(Duration.ofMinutes(10)),
                        (task, input) -> {
                            runs.add(elapsed());
                            if (runs.size() == 1) {
                                try {
                                    test.sleep(Duration.ofHours(3));
                                } catch (InterruptedException e) {
                                    interrupted.add(elapsed());
                                    throw e;
                                }
                            }
                            return input;
                        });

        assertThat(test.await(work)).isEqualTo("tea");
        assertThat(interrupted).containsExactly(Duration.ofMinutes(10));
        assertThat(runs).containsExactly(Duration.ZERO, Duration.ofMinutes(15));
    }

    @Test
    void a_slow_call_takes_its_time() throws Exception {
        var work =
                submit(
                        WORK,
                        (task, input) -> {
                            test.sleep(Duration.ofHours(5));
                            return input;
                        });

        assertThat(test.await(work)).isEqualTo("tea");
        assertThat(elapsed()).isEqualTo(Duration.ofHours(5));
    }

    @Test
    void a_signal_that_never_comes_is_said() {
        var work = submit(WORK, (task, input) -> task.awaitSignal("paid", String.class).orElse(""));

        assertThatThrownBy(() -> test.await(work))
                .isInstanceOf(NothingHappens.class)
                .hasMessageContaining("nothing is due any more")
                .hasMessageContaining("suspended")
                .hasMessageContaining("paid");
    }

    @Test
    void work_that_no_worker_can_do_is_said() {
        var work = test.fabric().submit(WORK.with("tea"));

        assertThatThrownBy(() -> test.await(work))
                .isInstanceOf(NothingHappens.class)
                .hasMessageContaining("worker");
    }

    @Test
    void a_deadline_ends_what_waits() {
        var work =
                submit(
                        WORK.deadline(Duration.ofDays(2)),
                        (task, input) -> task.awaitSignal("paid", String.class).orElse(""));

        assertThatThrownBy(() -> test.await(work))
                .isInstanceOfSatisfying(
                        WorkFailed.class,
                        failed -> assertThat(failed.outcome()).isEqualTo(Outcome.EXPIRED));
        assertThat(elapsed()).isEqualTo(Duration.ofDays(2));
    }

    @Test
    void time_that_is_advanced_passes_with_what_is_due_in_it() throws Exception {
        var work =
                submit(
                        WORK,
                        (task, input) -> {
                            task.sleep("rest", Duration.ofHours(2));
                            runs.add(elapsed());
                            return input;
                        });

        test.advance(Duration.ofHours(1));
        assertThat(test.stateOf(work).terminal()).isFalse();
        test.advance(Duration.ofHours(9));
        assertThat(test.stateOf(work)).isEqualTo(PublicState.COMPLETED);
        assertThat(runs).containsExactly(Duration.ofHours(2));
        assertThat(elapsed()).isEqualTo(Duration.ofHours(10));
    }

    @Test
    void a_handler_that_really_blocks_is_said() {
        var never = new CountDownLatch(1);
        try (var other = new TestFabric(FabricOptions.DEFAULT, Duration.ofMillis(300))) {
            other.fabric()
                    .worker("tester")
                    .grace(Duration.ZERO)
                    .on(
                            WORK,
                            (task, input) -> {
                                never.await();
                                return input;
                            })
                    .start();
            var work = other.fabric().submit(WORK.with("tea"));

            assertThatThrownBy(() -> other.await(work))
                    .isInstanceOf(NothingHappens.class)
                    .hasMessageContaining(work.toString())
                    .hasMessageContaining("TestFabric.sleep");
        }
    }

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws Exception {
        var source = Path.of("src/test/java/io/flowfabric/testing/OrderExampleTest.java");

        assertThat(PageExample.shown(Path.of("../docs/testing.md")).getFirst())
                .contains(PageExample.compiled(source).getFirst());
    }
}
