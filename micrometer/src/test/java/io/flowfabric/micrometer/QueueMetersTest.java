package io.flowfabric.micrometer;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.memory.MemoryStore;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;

import org.junit.jupiter.api.Test;

import java.time.Duration;

class QueueMetersTest {
    private final VirtualClock clock = new VirtualClock();
    private final MemoryStore store = new MemoryStore(clock);
    private final SimpleMeterRegistry registry = new SimpleMeterRegistry();

    @Test
    void what_waits_in_a_lane_is_counted_with_the_age_of_the_oldest() {
        new QueueMeters(store.queries(), Lane.DEFAULT, clock).bindTo(registry);
        assertThat(value("ff.queue.depth")).isZero();

        store.submit(Submission.of("welcome", Payload.text("ada")));
        clock.advance(Duration.ofSeconds(30));
        store.submit(Submission.of("welcome", Payload.text("bob")));

        assertThat(value("ff.queue.depth")).isEqualTo(2);
        assertThat(value("ff.queue.age")).isEqualTo(30);
    }

    @Test
    void the_store_is_not_asked_again_within_ten_seconds() {
        new QueueMeters(store.queries(), Lane.DEFAULT, clock).bindTo(registry);
        assertThat(value("ff.queue.depth")).isZero();

        store.submit(Submission.of("welcome", Payload.text("ada")));
        clock.advance(Duration.ofSeconds(9));
        assertThat(value("ff.queue.depth")).isZero();

        clock.advance(Duration.ofSeconds(1));
        assertThat(value("ff.queue.depth")).isEqualTo(1);
    }

    @Test
    void what_cannot_be_read_is_not_a_number() {
        new QueueMeters(store.queries(), Lane.DEFAULT, clock).bindTo(registry);
        store.close();

        assertThat(value("ff.queue.depth")).isNaN();
        assertThat(value("ff.queue.age")).isNaN();
    }

    private double value(String name) {
        return registry.get(name).gauge().value();
    }
}
