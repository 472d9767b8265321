package io.flowfabric.micrometer;

import io.flowfabric.DurableTask;
import io.flowfabric.FabricOptions;
import io.flowfabric.FlowFabric;
import io.flowfabric.Middleware;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;

import org.jspecify.annotations.Nullable;

import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * One trace from the submission of work to every run of its handler, through Micrometer's
 * observations: with the bridge to OpenTelemetry or Brave on the class path these become spans.
 *
 * <pre>{@code
 * var observations = new Observations(registry);
 * var fabric = FlowFabric.on(store, observations.submissions(FabricOptions.DEFAULT));
 * fabric.worker("mailer").around(observations).on(WELCOME, this::welcome).start();
 * }</pre>
 *
 * <p>A submission is the observation {@code ff.submit}, a run of a handler {@code ff.handle}, with
 * the kind as a low-cardinality key and the execution and attempt as high-cardinality ones.
 *
 * @see FlowFabric
 */
public final class Observations implements Middleware {
    private static final String TRACEPARENT = "traceparent";

    private final ObservationRegistry registry;

    /** Observations in a registry. */
    public Observations(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** These options, by which submissions are observed and carry the context of their trace. */
    public FabricOptions submissions(FabricOptions options) {
        return options.traceparent(this::traceparent);
    }

    /**
     * The context that the next submission carries: what a tracer puts into an outgoing message.
     */
    private Optional<String> traceparent() {
        var carrier = new HashMap<String, String>();
        var context = new SenderContext<Map<String, String>>(Observations::put);
        context.setCarrier(carrier);
        Observation.createNotStarted("ff.submit", () -> context, registry).observe(() -> {});
        return Optional.ofNullable(carrier.get(TRACEPARENT));
    }

    private static void put(@Nullable Map<String, String> carrier, String key, String value) {
        if (carrier != null) {
            carrier.put(key, value);
        }
    }

    @Override
    public @Nullable Object around(DurableTask task, Inner inner) throws Exception {
        var context =
                new ReceiverContext<DurableTask>(
                        (carrier, key) ->
                                key.equals(TRACEPARENT)
                                        ? carrier.traceparent().orElse(null)
                                        : null);
        context.setCarrier(task);
        var observation =
                Observation.createNotStarted("ff.handle", () -> context, registry)
                        .contextualName("handle " + task.kind())
                        .lowCardinalityKeyValue("kind", task.kind())
                        .highCardinalityKeyValue("execution", task.execution().toString())
                        .highCardinalityKeyValue("attempt", Integer.toString(task.attempt()))
                        .start();
        try {
            return observation.scopedChecked(
                    (Observation.CheckedCallable<@Nullable Object, Exception>) inner::run);
        } finally {
            observation.stop();
        }
    }
}
