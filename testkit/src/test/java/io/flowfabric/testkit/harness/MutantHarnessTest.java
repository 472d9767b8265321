package io.flowfabric.testkit.harness;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.testkit.memory.Mutant;

import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.nio.file.Path;
import java.time.Duration;

/** The harness is worth something only if it finds out what is broken. */
class MutantHarnessTest {
    @ParameterizedTest
    @EnumSource
    void a_broken_store_is_found_out(Mutant mutant, @TempDir Path seeds) {
        var harness =
                new Harness(mutant::open)
                        .seeds(1, 5)
                        .operations(300)
                        .shrinkFor(Duration.ofSeconds(5))
                        .keepIn(seeds);

        assertThatThrownBy(harness::run)
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining("The store differs from its model");
    }
}
