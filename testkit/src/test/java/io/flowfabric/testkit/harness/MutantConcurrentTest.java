package io.flowfabric.testkit.harness;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.testkit.history.HistoryAssert;
import io.flowfabric.testkit.memory.Mutant;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.stream.LongStream;

/** It takes no model to see that a store is broken. */
class MutantConcurrentTest {
    @ParameterizedTest
    @EnumSource
    void a_broken_store_is_found_out(Mutant mutant) {
        // The machine decides in which order things happen, so a single run may pass without the
        // situation that a mutant gets wrong; twenty do not.
        assertThat(LongStream.rangeClosed(1, 20).anyMatch(seed -> isFoundOut(mutant, seed)))
                .isTrue();
    }

    /** By the history, by a repeated call with another answer, or by work that is left over. */
    private static boolean isFoundOut(Mutant mutant, long seed) {
        var run = new ConcurrentRun(mutant::open).seed(seed).workers(6).operations(300);
        try {
            HistoryAssert.assertThat(run.run()).isSound();
            return false;
        } catch (AssertionError found) {
            return true;
        }
    }
}
