package io.flowfabric.testkit.harness;

import io.flowfabric.testkit.memory.MemoryFixture;

import org.junit.jupiter.api.Test;

/**
 * The store in memory against itself: finds nothing about the rules, but everything that is not
 * repeatable, not sound, or wrong with the harness.
 */
class MemoryHarnessTest {
    @Test
    void the_store_in_memory_is_its_own_model() {
        new Harness(MemoryFixture::new).seeds(1, 200).operations(200).run();
    }
}
