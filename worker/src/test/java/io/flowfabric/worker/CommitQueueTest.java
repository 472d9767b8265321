package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.store.Chunks;
import io.flowfabric.worker.CommitQueue.Queued;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;

/** How many items a committer finds who gives others a moment. */
@Timeout(60)
class CommitQueueTest {
    private static final long LONG = Duration.ofDays(1).toNanos();

    private final CommitQueue<String> queue = new CommitQueue<>();

    @Test
    void items_are_waited_for_until_there_are_as_many_as_before() {
        var gathering = gather(3, LONG);

        add("one", "two");
        assertThat(gathering).isNotDone();
        add("three");

        gathering.join();
        assertThat(taken()).containsExactly("one", "two", "three");
    }

    @Test
    void two_who_wait_for_more_wait_for_as_many_as_each_of_them_wants() {
        var few = gather(2, LONG);
        var many = gather(4, LONG);

        add("one", "two");
        few.orTimeout(20, TimeUnit.SECONDS).join();
        assertThat(many).isNotDone();
        add("three", "four");

        many.orTimeout(20, TimeUnit.SECONDS).join();
    }

    @Test
    void those_who_stay_away_are_not_waited_for() {
        add("one");

        queue.gather(2, Duration.ofMillis(1).toNanos());

        assertThat(taken()).containsExactly("one");
    }

    @Test
    void nobody_is_waited_for_when_it_is_over() {
        var gathering = gather(2, LONG);

        queue.close();

        gathering.join();
        assertThat(taken()).isEmpty();
    }

    @Test
    void items_that_are_large_together_do_not_wait_for_one_who_stays_away() {
        // A machine may be slow once; one that waits for the other would be so every time.
        var fastest = IntStream.range(0, 20).mapToLong(nth -> helped()).min().orElseThrow();

        assertThat(fastest).isLessThan(CommitQueue.ABSENCE);
    }

    /** How long it takes until items that are large together are taken by the second committer. */
    private long helped() {
        long begun = System.nanoTime();
        queue.add(new Queued<>("one", Chunks.BYTES / 2));
        queue.add(new Queued<>("two", Chunks.BYTES / 2));
        assertThat(queue.help()).hasSize(2);
        return System.nanoTime() - begun;
    }

    private CompletableFuture<Void> gather(int many, long nanos) {
        return CompletableFuture.runAsync(
                () -> queue.gather(many, nanos), task -> Thread.ofVirtual().start(task));
    }

    private void add(String... items) {
        for (String item : items) {
            assertThat(queue.add(new Queued<>(item, 0))).isTrue();
        }
    }

    private List<String> taken() {
        return queue.take().stream().map(queued -> queued.item).toList();
    }
}
