package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.engine.WaitedTime;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** Where no thread can be had, a worker asks for one ever less often. */
class HandlerThreadsTest {
    private final WaitedTime time = new WaitedTime();
    private final AtomicInteger runs = new AtomicInteger();
    private boolean scarce;
    private final HandlerThreads threads =
            new HandlerThreads(
                    run -> {
                        if (scarce) {
                            throw new OutOfMemoryError("no thread, by a test");
                        }
                        return Thread.ofVirtual().unstarted(run);
                    },
                    time);

    @Test
    void there_is_no_pause_as_long_as_there_are_threads() {
        assertThat(threads.start(runs::incrementAndGet)).isTrue();

        threads.pauseIfNone(() -> false);

        eventually("it has run", () -> runs.get() == 1);
        assertThat(time.waits()).isEmpty();
    }

    @Test
    void a_pause_is_the_longer_the_more_often_there_was_none_in_a_row() {
        scarce = true;
        startAndPause();
        startAndPause();
        startAndPause();
        scarce = false;
        startAndPause();
        scarce = true;
        startAndPause();

        assertThat(time.waits())
                .containsExactly(
                        Duration.ofMillis(100),
                        Duration.ofMillis(200),
                        Duration.ofMillis(400),
                        Duration.ofMillis(100));
    }

    @Test
    void a_worker_that_ends_does_not_pause() {
        scarce = true;
        threads.start(runs::incrementAndGet);

        threads.pauseIfNone(() -> true);

        assertThat(time.waits()).isEmpty();
    }

    private void startAndPause() {
        assertThat(threads.start(runs::incrementAndGet)).isEqualTo(!scarce);
        threads.pauseIfNone(() -> false);
    }
}
