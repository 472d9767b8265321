package io.flowfabric.engine;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.LongStream;

class TimeTest {
    private static final Duration DELAY = Duration.ofMillis(100);

    private final WaitedTime time = new WaitedTime(Duration.ofMillis(40));

    @Test
    void a_back_off_lasts_its_whole_delay_although_its_thread_is_woken_before() {
        time.backOff(DELAY, () -> false);

        assertThat(time.waits())
                .containsExactly(DELAY, Duration.ofMillis(60), Duration.ofMillis(20));
    }

    @Test
    void a_back_off_ends_with_its_delay_and_not_a_moment_later() {
        var exact = new WaitedTime();

        exact.backOff(DELAY, () -> false);

        assertThat(exact.waits()).containsExactly(DELAY);
    }

    @Test
    void a_back_off_ends_when_its_thread_is_woken_and_it_is_over() {
        time.backOff(DELAY, () -> !time.waits().isEmpty());

        assertThat(time.waits()).containsExactly(DELAY);
    }

    @Test
    void a_thread_that_is_interrupted_does_not_back_off_and_stays_interrupted() {
        Thread.currentThread().interrupt();

        time.backOff(DELAY, () -> false);

        assertThat(Thread.interrupted()).isTrue();
        assertThat(time.waits()).isEmpty();
    }

    @Test
    void chance_takes_half_of_a_delay_at_most() {
        var chance = new ManualTime();
        assertThat(chance.jittered(DELAY)).isEqualTo(DELAY.toNanos());

        chance.spreadBy(most -> most);

        assertThat(chance.jittered(DELAY)).isEqualTo(DELAY.toNanos() / 2);
    }

    @Test
    void chance_is_from_nothing_to_all_that_is_left_to_it() {
        assertThat(LongStream.range(0, 1000).map(i -> Time.SYSTEM.jitter(2)).distinct().boxed())
                .containsExactlyInAnyOrder(0L, 1L, 2L);
    }

    @Test
    void centuries_are_as_long_as_anything_is_waited_for() {
        assertThat(Time.nanos(Duration.ofDays(400_000))).isEqualTo(Time.FAR);
        assertThat(Time.nanos(Duration.ofDays(364)))
                .isEqualTo(Duration.ofDays(364).toNanos())
                .isLessThan(Time.FAR);
    }

    @Test
    void the_time_of_this_machine_is_its_clock_its_counter_and_a_wait_that_can_be_ended() {
        var moment = Instant.now();
        long count = System.nanoTime();
        var waiting = Thread.startVirtualThread(() -> Time.SYSTEM.park(Time.FAR));

        assertThat(Time.SYSTEM.instant()).isBetween(moment, Instant.now());
        assertThat(Time.SYSTEM.nanos() - count).isBetween(0L, System.nanoTime() - count);
        eventually("it waits", () -> waiting.getState() == Thread.State.TIMED_WAITING);
        LockSupport.unpark(waiting);
        eventually("it has ended", () -> !waiting.isAlive());
    }
}
