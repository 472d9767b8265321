package io.flowfabric.micrometer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.WorkFailed;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.testkit.memory.MemoryStore;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationHandler;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;

class ObservationsTest {
    private static final Duration SOON = Duration.ofSeconds(30);
    private static final String TRACE = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";

    private static final Kind<String, String> WELCOME =
            Kind.of("welcome", String.class, String.class).retry(Retry.NEVER);

    /** Puts a context into what is sent, and notes what arrives, as the bridge of a tracer does. */
    private static final class Tracer implements ObservationHandler<Observation.Context> {
        private final List<String> seen = new CopyOnWriteArrayList<>();

        @Override
        public boolean supportsContext(Observation.Context context) {
            return true;
        }

        @Override
        public void onStart(Observation.Context context) {
            switch (context) {
                case SenderContext<?> sent -> send(sent);
                case ReceiverContext<?> received -> receive(received);
                default -> seen.add(context.getName());
            }
        }

        private <C> void send(SenderContext<C> sent) {
            seen.add(sent.getName());
            sent.getSetter().set(Objects.requireNonNull(sent.getCarrier()), "traceparent", TRACE);
        }

        private <C> void receive(ReceiverContext<C> received) {
            seen.add(
                    received.getContextualName()
                            + " in "
                            + received.getGetter()
                                    .get(
                                            Objects.requireNonNull(received.getCarrier()),
                                            "traceparent"));
        }

        @Override
        public void onError(Observation.Context context) {
            seen.add("error " + Objects.requireNonNull(context.getError()).getMessage());
        }
    }

    private final Tracer tracer = new Tracer();
    private final ObservationRegistry registry = ObservationRegistry.create();

    ObservationsTest() {
        registry.observationConfig().observationHandler(tracer);
    }

    @Test
    void a_trace_goes_from_the_submission_to_the_handler() throws Exception {
        var observations = new Observations(registry);
        try (var fabric =
                FlowFabric.on(
                        new MemoryStore(InstantSource.system()),
                        observations.submissions(FabricOptions.DEFAULT))) {
            fabric.worker("mailer")
                    .around(observations)
                    .on(WELCOME, (task, name) -> "hello " + name)
                    .start();

            assertThat(fabric.submit(WELCOME.with("ada")).await(SOON)).isEqualTo("hello ada");
        }

        assertThat(tracer.seen).containsExactly("ff.submit", "handle welcome in " + TRACE);
    }

    @Test
    void what_a_handler_throws_is_an_error_of_its_observation() {
        var observations = new Observations(registry);
        try (var fabric =
                FlowFabric.on(new MemoryStore(InstantSource.system()), FabricOptions.DEFAULT)) {
            fabric.worker("mailer")
                    .around(observations)
                    .on(
                            WELCOME,
                            (task, name) -> {
                                throw new IllegalStateException("no post today");
                            })
                    .start();
            var work = fabric.submit(WELCOME.with("ada"));

            assertThatThrownBy(() -> work.await(SOON)).isInstanceOf(WorkFailed.class);
        }

        assertThat(tracer.seen).containsExactly("handle welcome in null", "error no post today");
    }
}
