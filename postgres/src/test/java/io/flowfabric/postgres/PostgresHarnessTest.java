package io.flowfabric.postgres;

import static io.flowfabric.testkit.history.HistoryAssert.assertThat;

import io.flowfabric.testkit.harness.ConcurrentRun;
import io.flowfabric.testkit.harness.Harness;

import org.junit.jupiter.api.Test;

/** Random operations, on Postgres and on the model. */
class PostgresHarnessTest {
    @Test
    void the_store_on_postgres_does_what_the_model_does() {
        new Harness(PostgresFixture::new)
                .seeds(
                        Long.getLong("flowfabric.seed", 1),
                        Integer.getInteger("flowfabric.seeds", 10))
                .operations(150)
                .run();
    }

    @Test
    void whatever_many_do_at_once_is_sound() {
        assertThat(new ConcurrentRun(PostgresFixture::new).seed(1).run()).isSound();
    }
}
