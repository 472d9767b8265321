package io.flowfabric.valkey;

import static io.flowfabric.testkit.history.HistoryAssert.assertThat;

import io.flowfabric.testkit.harness.ConcurrentRun;
import io.flowfabric.testkit.harness.Harness;

import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;

/** Random operations, on Valkey and on the model. */
class ValkeyHarnessTest {
    private enum Servers {
        ONE_NODE(ValkeyFixture::onOneNode),
        CLUSTER(ValkeyFixture::onCluster),
        SPREAD(() -> ValkeyFixture.spread(TestRedis.cluster())),
        TOGETHER(() -> ValkeyFixture.together(TestRedis.oneNode())),
        IN_MAIN(() -> ValkeyFixture.inMain(TestRedis.oneNode()));

        final Supplier<ValkeyFixture> open;

        Servers(Supplier<ValkeyFixture> open) {
            this.open = open;
        }
    }

    // The model knows one order for a lane, and a spread namespace has one for each partition: so
    // all work of those is in one, and everything else in all of them.
    @ParameterizedTest
    @EnumSource(names = {"ONE_NODE", "CLUSTER", "IN_MAIN"})
    void the_store_on_valkey_does_what_the_model_does(Servers servers) {
        new Harness(servers.open)
                .seeds(
                        Long.getLong("flowfabric.seed", 1),
                        Integer.getInteger("flowfabric.seeds", 10))
                .operations(150)
                .run();
    }

    @ParameterizedTest
    @EnumSource
    void whatever_many_do_at_once_is_sound(Servers servers) {
        var opened = new AtomicReference<ValkeyFixture>();
        var history =
                new ConcurrentRun(() -> opened.updateAndGet(unset -> servers.open.get()))
                        .seed(1)
                        .run();
        switch (servers) {
            // Work that lies in several partitions has an order in each of them.
            case SPREAD, TOGETHER -> assertThat(history).isSoundInParts(opened.get()::placeOf);
            case ONE_NODE, CLUSTER, IN_MAIN -> assertThat(history).isSound();
        }
    }
}
