package io.flowfabric.testkit.harness;

import static io.flowfabric.testkit.history.HistoryAssert.assertThat;

import io.flowfabric.testkit.memory.MemoryFixture;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Threads that get in each other's way leave a sound history. */
class MemoryConcurrentTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3})
    void many_at_once_lose_nothing_and_do_nothing_twice(long seed) {
        var run = new ConcurrentRun(MemoryFixture::new).seed(seed).workers(6).operations(300);

        assertThat(run.run()).isSound();
    }
}
