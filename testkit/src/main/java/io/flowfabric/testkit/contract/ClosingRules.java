package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.ContractAssertions.assertThat;
import static io.flowfabric.testkit.contract.Given.asked;
import static io.flowfabric.testkit.contract.Given.work;

import io.flowfabric.testkit.StoreFixture;

import org.junit.jupiter.api.Test;

import java.util.function.Supplier;

/** A store that was closed does nothing more, and says so. */
abstract class ClosingRules extends Rules {
    ClosingRules(Supplier<StoreFixture> opening) {
        super(opening);
    }

    @Test
    void every_call_to_a_closed_store_is_refused() {
        var calls = StoreCall.every(world, Scenario.OLGA);

        world.store().close();

        for (var call : calls) {
            assertThat(asked(call::make)).as(call.toString()).isUnavailable();
        }
    }

    @Test
    void closing_again_does_nothing() {
        world.store().close();

        world.store().close();

        assertThat(asked(() -> world.offer(work()))).isUnavailable();
    }
}
