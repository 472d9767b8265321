package io.flowfabric.testing;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.Approval;
import io.flowfabric.Kind;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Retry;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.ExtendWith;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** The test that docs/testing.md shows. */
// [PAGE
@ExtendWith(FabricExtension.class)
class OrderExampleTest {
    record Order(String item) {}

    static final Kind<Order, String> ORDER =
            Kind.of("order", Order.class, String.class)
                    .retry(
                            Retry.retries(100)
                                    .backoff(Backoff.fixed(Duration.ofHours(1)))
                                    .jitter(0));

    @Test
    void three_days_of_retries_and_an_approval(TestFabric test) throws Exception {
        var begin = test.now();
        var tries = new AtomicInteger();
        test.fabric()
                .worker("shop")
                .on(
                        ORDER,
                        (task, order) -> {
                            if (tries.incrementAndGet() <= 72) {
                                throw new IllegalStateException("the warehouse does not answer");
                            }
                            var boss = task.awaitApproval("boss", Duration.ofDays(7));
                            return order.item() + " " + boss.verdict();
                        })
                .start();

        var order = test.fabric().submit(ORDER.with(new Order("tea")));
        test.awaitState(order, PublicState.SUSPENDED);
        assertThat(test.now()).isEqualTo(begin.plus(Duration.ofDays(3)));

        test.approve(order, "boss", "ada");
        assertThat(test.await(order)).isEqualTo("tea " + Approval.Verdict.APPROVED);
        assertThat(test.now()).isEqualTo(begin.plus(Duration.ofDays(3)));
    }
}
// PAGE]
