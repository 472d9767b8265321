package io.flowfabric.testkit.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryFixture;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** A difference is told in as few operations as it takes, and is not forgotten. */
class ShrinkingTest {
    private final Shrinker shrinker = new Shrinker(Duration.ofMinutes(1), new VirtualClock());

    @Test
    void only_the_items_that_are_needed_remain() {
        var hundred = IntStream.range(0, 100).boxed().toList();

        var kept = shrinker.shrink(hundred, list -> list.containsAll(List.of(3, 50, 97)));

        assertThat(kept).containsExactly(3, 50, 97);
    }

    @Test
    void what_fails_with_nothing_shrinks_to_nothing() {
        assertThat(shrinker.shrink(List.of(1, 2, 3), list -> true)).isEmpty();
    }

    @Test
    void shrinking_stops_when_its_time_is_over() {
        var clock = new VirtualClock();
        var hasty = new Shrinker(Duration.ofSeconds(10), clock);
        var thousand = IntStream.range(0, 1000).boxed().toList();

        var kept =
                hasty.shrink(
                        thousand,
                        list -> {
                            clock.advance(Duration.ofSeconds(1));
                            return list.contains(0);
                        });

        assertThat(kept).contains(0).hasSizeGreaterThan(1).hasSizeLessThan(1000);
    }

    @Test
    void a_store_that_lies_once_is_caught_with_a_handful_of_operations(@TempDir Path seeds) {
        assertThatThrownBy(() -> harness(seeds).run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ANSWER of act")
                .hasMessageContaining("expected Finished");

        var kept = new SeedFiles(seeds).read();
        assertThat(kept).hasSize(1);
        // A submission, five cancellations, and perhaps something that they cannot do without.
        assertThat(kept.getFirst().kept()).hasSizeLessThanOrEqualTo(StoreThatLies.WRONG_CANCEL + 3);
    }

    @Test
    void a_kept_case_is_tried_first(@TempDir Path seeds) {
        assertThatThrownBy(() -> harness(seeds).run()).isInstanceOf(AssertionError.class);

        assertThatThrownBy(() -> harness(seeds).seeds(1, 0).run())
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("ANSWER of act");
        new Harness(MemoryFixture::new).keepIn(seeds).seeds(1, 0).run();
    }

    private static Harness harness(Path seeds) {
        return new Harness(StoreThatLies::new).operations(300).keepIn(seeds);
    }
}
