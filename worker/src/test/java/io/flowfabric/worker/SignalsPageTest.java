package io.flowfabric.worker;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.engine.Eventually;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

import java.io.IOException;
import java.nio.file.Path;
import java.util.concurrent.LinkedBlockingQueue;

/** What docs/signals.md says is so. */
class SignalsPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/worker/SignalsExample.java");

        assertThat(PageExample.shown(Path.of("../docs/signals.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    @Timeout(60)
    void the_code_on_the_page_goes_on_when_somebody_clicks_the_link() throws InterruptedException {
        var letters = new LinkedBlockingQueue<String>();
        var example = new SignalsExample(letters::add);
        try (var world = new WorkerScenario(Time.SYSTEM)) {
            var order = Submission.of("order", Payload.text("order 7")).lane("orders");
            world.engine().submit(order);
            var worker = example.office(world.engine());
            var token = letters.take();
            Eventually.eventually(
                    "it waits", () -> world.state(order.id()) == PublicState.SUSPENDED);

            var delivery = example.clicked(world.engine(), token, "ada");

            assertThat(delivery.effect()).isEqualTo(Effect.RESUMED);
            Eventually.eventually(
                    "it is done", () -> world.state(order.id()) == PublicState.COMPLETED);
            worker.stop();
            assertThat(world.result(order.id()).result()).contains(Payload.text("approved by ada"));
            assertThat(letters).isEmpty();
        }
    }
}
