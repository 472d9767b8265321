package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;

import java.time.Duration;
import java.util.Locale;

/** A worker that claims, heartbeats, fences and completes: all of that is in the runtime. */
final class ByHand {
    static final Kind<String, String> UPPER =
            Kind.of("upper", String.class, String.class).lane("texts").needs("unicode");

    static String run(FlowFabric fabric) throws InterruptedException {
        var worker =
                fabric.worker("texts")
                        .offers("unicode")
                        .on(UPPER, (task, text) -> text.toUpperCase(Locale.ROOT))
                        .start();
        try {
            return fabric.submit(UPPER.with("hello")).await(Duration.ofMinutes(1));
        } finally {
            worker.stop();
        }
    }
}
