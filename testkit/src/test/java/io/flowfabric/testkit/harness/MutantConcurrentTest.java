package io.flowfabric.testkit.harness;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.testkit.history.HistoryChecker;
import io.flowfabric.testkit.history.Violation;
import io.flowfabric.testkit.history.Violation.Kind;
import io.flowfabric.testkit.memory.Mutant;

import org.junit.jupiter.api.Test;

/** The history checker needs no model to see that a store is broken. */
class MutantConcurrentTest {
    @Test
    void whoever_writes_without_a_fence_is_found_out() {
        var history = run(Mutant.NO_FENCE_ON_FINISH).run();

        assertThat(new HistoryChecker(history).verdict())
                .extracting(Violation::kind)
                .contains(Kind.STALE_WRITE);
    }

    @Test
    void leases_that_cannot_be_told_apart_are_found_out() {
        var history = run(Mutant.EPOCH_NOT_RAISED_ON_RECLAIM).run();

        assertThat(new HistoryChecker(history).verdict())
                .extracting(Violation::kind)
                .contains(Kind.EPOCH_NOT_RISING);
    }

    @Test
    void work_that_nobody_wakes_is_found_out() {
        assertThatThrownBy(run(Mutant.LOST_WAKE_UP_AFTER_RETRY)::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("could not be drained");
    }

    private static ConcurrentRun run(Mutant mutant) {
        return new ConcurrentRun(mutant::open).workers(6).operations(300);
    }
}
