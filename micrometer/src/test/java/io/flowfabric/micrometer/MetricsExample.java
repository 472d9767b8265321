package io.flowfabric.micrometer;

import io.flowfabric.core.store.Store;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.EngineOptions;
import io.micrometer.core.instrument.MeterRegistry;

/** The code that docs/metrics.md shows; {@link MetricsPageTest} compares, and runs it. */
final class MetricsExample {
    private MetricsExample() {}

    // [PAGE
    /** An engine whose meters are in a registry: a `PrometheusMeterRegistry`, or another one. */
    static Engine measured(Store store, MeterRegistry registry) {
        return new Engine(store, EngineOptions.DEFAULT, new MicrometerMetrics(registry));
    }

    // PAGE]
}
