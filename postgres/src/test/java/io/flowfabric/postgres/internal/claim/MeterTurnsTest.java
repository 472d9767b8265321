package io.flowfabric.postgres.internal.claim;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.postgres.DatabaseOptions;

import org.junit.jupiter.api.Test;

class MeterTurnsTest {
    private final MeterTurns turns =
            new MeterTurns(DatabaseOptions.of("jdbc:postgresql://nobody/is-asked"));

    @Test
    void a_claim_takes_its_turn() {
        assertThat(turns.<String>take(() -> "claimed")).isEqualTo("claimed");
    }

    @Test
    void whoever_is_interrupted_while_it_waits_is_still_interrupted() {
        Thread.currentThread().interrupt();

        assertThatThrownBy(() -> turns.take(() -> "claimed"))
                .isInstanceOf(StoreFailure.class)
                .hasMessageContaining("interrupted");
        assertThat(Thread.interrupted()).isTrue();
    }
}
