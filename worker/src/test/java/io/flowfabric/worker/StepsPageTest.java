package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;

/** What docs/steps.md says is so. */
class StepsPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/worker/StepsExample.java");

        assertThat(PageExample.shown(Path.of("../docs/steps.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    @Timeout(60)
    void the_code_on_the_page_charges_once_although_shipping_fails_twice() {
        var charges = new AtomicInteger();
        var shipments = new AtomicInteger();
        var example =
                new StepsExample(
                        order -> order + " paid " + charges.incrementAndGet(),
                        receipt -> {
                            if (shipments.incrementAndGet() < 3) {
                                throw new IllegalStateException("the van has broken down");
                            }
                            return receipt + ", shipped";
                        });
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var retry = Retry.retries(5).backoff(Backoff.fixed(Duration.ZERO));
            var order =
                    Submission.of("order", Payload.text("order 7"))
                            .lane("orders")
                            .policy(Policy.DEFAULT.retry(retry));
            world.engine().submit(order);
            var worker = example.shop(world.engine());
            Eventually.eventually(
                    "it is done", () -> world.state(order.id()) == PublicState.COMPLETED);
            worker.stop();

            assertThat(charges).hasValue(1);
            assertThat(shipments).hasValue(3);
            assertThat(world.result(order.id()).result())
                    .contains(Payload.text("order 7 paid 1, shipped"));
            assertThat(world.memory.queries().allSteps(order.id()))
                    .extracting(Step::name)
                    .containsExactly("charge", "ship");
        }
    }
}
