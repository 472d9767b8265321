package io.flowfabric.valkey;

import static io.flowfabric.testkit.history.HistoryAssert.assertThat;

import io.flowfabric.testkit.harness.ConcurrentRun;
import io.flowfabric.testkit.harness.Harness;

import org.junit.jupiter.api.Test;

/** Random operations, on Valkey and on the model. */
class ValkeyHarnessTest {
    @Test
    void the_store_on_valkey_does_what_the_model_does() {
        new Harness(ValkeyFixture::new)
                .seeds(
                        Long.getLong("flowfabric.seed", 1),
                        Integer.getInteger("flowfabric.seeds", 10))
                .operations(150)
                .run();
    }

    @Test
    void whatever_many_do_at_once_is_sound() {
        assertThat(new ConcurrentRun(ValkeyFixture::new).seed(1).run()).isSound();
    }
}
