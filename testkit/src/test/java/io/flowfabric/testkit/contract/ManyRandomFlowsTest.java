package io.flowfabric.testkit.contract;

import io.flowfabric.testkit.memory.MemoryFixture;

import org.junit.jupiter.api.Test;

import java.util.Optional;

/** Thousands of graphs on the store in memory, each compared with what it should be. */
class ManyRandomFlowsTest {
    private static final int GRAPHS = 3_000;

    /** A store gets slower with what it has; another one is soon made. */
    private static final int GRAPHS_OF_A_STORE = 20;

    @Test
    void thousands_of_graphs_are_what_they_should_be_whatever_calls_get_lost() {
        for (int first = 0; first < GRAPHS; first += GRAPHS_OF_A_STORE) {
            var lost = new LostCalls(new MemoryFixture());
            try (var world = new Scenario(lost)) {
                for (int seed = first; seed < first + GRAPHS_OF_A_STORE; seed++) {
                    new RandomFlow(world, Optional.of(lost), seed).play();
                }
            }
        }
    }

    @Test
    void thousands_of_graphs_are_what_they_should_be() {
        for (int first = 0; first < GRAPHS; first += GRAPHS_OF_A_STORE) {
            try (var world = new Scenario(new MemoryFixture())) {
                for (int seed = first; seed < first + GRAPHS_OF_A_STORE; seed++) {
                    new RandomFlow(world, seed).play();
                }
            }
        }
    }
}
