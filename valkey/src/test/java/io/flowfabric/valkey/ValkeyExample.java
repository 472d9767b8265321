package io.flowfabric.valkey;

import io.flowfabric.core.Namespace;

import java.time.Duration;

/** The code that docs/valkey.md shows; {@link ValkeyPageTest} compares, and runs it. */
final class ValkeyExample {
    private ValkeyExample() {}

    // [PAGE
    static ValkeyStore open(String url, String password) {
        var options = ValkeyOptions.of(url).withPassword(password).withPrefix("jobs:");
        return ValkeyStore.open(options);
    }

    // PAGE]

    // [PAGE
    static ValkeyOptions copied(String url) {
        return ValkeyOptions.of(url).withReplicas(1, Duration.ofSeconds(1));
    }

    // PAGE]

    // [PAGE
    static void spread(ValkeyStore store) {
        store.spread(new Namespace("telemetry"), 12);
    }
    // PAGE]
}
