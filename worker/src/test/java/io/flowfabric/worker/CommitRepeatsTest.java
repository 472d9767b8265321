package io.flowfabric.worker;

import static io.flowfabric.engine.Eventually.eventually;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.policy.Backoff;
import io.flowfabric.engine.ManualTime;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;

class CommitRepeatsTest {
    private static final String NAME = "some-repeats";

    /** A batch that was tried, and when, in milliseconds. */
    private record Try(long at, List<Integer> batch) {}

    private final ManualTime time = new ManualTime();
    private final List<Try> tries = new CopyOnWriteArrayList<>();

    private final List<Integer> abandoned = new CopyOnWriteArrayList<>();

    /** What of a batch gets no answer. */
    private volatile UnaryOperator<List<Integer>> unanswered = batch -> batch;

    private final CommitRepeats<Integer> repeats =
            new CommitRepeats<>(
                    NAME,
                    time,
                    Backoff.exponential(Duration.ofMillis(10), Duration.ofSeconds(1), 2),
                    batch -> {
                        tries.add(new Try(time.nanos() / 1_000_000, batch));
                        return unanswered.apply(batch);
                    },
                    abandoned::addAll);

    @BeforeEach
    void start() {
        repeats.start();
    }

    @AfterEach
    void stop() {
        repeats.stop();
    }

    @Test
    void what_gets_no_answer_is_tried_again_after_ever_longer_waits() {
        repeats.add(List.of(1));
        eventually("it waits", () -> time.waiting(NAME) == 1);

        eventually(time, "it is tried again", () -> tries.size() == 4);

        assertThat(tries).extracting(Try::at).containsExactly(0L, 10L, 30L, 70L);
    }

    @Test
    void an_answer_makes_the_next_wait_a_short_one_again() {
        unanswered = batch -> tries.size() == 3 ? List.of() : batch;
        repeats.add(List.of(1));
        eventually("it waits", () -> time.waiting(NAME) == 1);
        repeats.add(List.of(2));

        eventually(time, "both were tried", () -> tries.size() == 5);

        // The third one is answered, so the fourth follows at once.
        assertThat(tries).extracting(Try::at).containsExactly(0L, 10L, 30L, 30L, 40L);
    }

    /** One item that the store cannot take now must not keep all others for ever. */
    @Test
    void a_large_batch_is_tried_in_parts_from_then_on_and_nothing_of_it_is_left_out() {
        var all = IntStream.range(0, 33).boxed().toList();
        unanswered = batch -> batch.size() == 33 ? batch : List.of();
        repeats.add(all);

        eventually(time, "all was tried", () -> tries.size() == 12);

        var parts = tries.subList(1, 12).stream().map(Try::batch).toList();
        assertThat(parts).allMatch(part -> part.size() == 3);
        assertThat(parts.stream().flatMap(List::stream)).containsExactlyElementsOf(all);
    }

    @Test
    void stopping_waits_for_no_back_off_and_tries_once_more() {
        repeats.add(List.of(1));
        eventually("it waits", () -> time.waiting(NAME) == 1);

        repeats.stop();

        assertThat(tries).extracting(Try::at).containsExactly(0L, 0L);
        assertThat(time.waiting(NAME)).isZero();
    }
}
