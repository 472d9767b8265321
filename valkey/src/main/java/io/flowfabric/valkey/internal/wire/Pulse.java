package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.resource.ClientResources;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Asks now and then for a sign of life on a connection that otherwise only listens: one that was
 * dropped on the way would stay deaf.
 */
final class Pulse {
    private static final Duration EVERY = Duration.ofSeconds(15);

    private Pulse() {}

    /** Asks until the threads of the client are ended. */
    static void begin(ClientResources resources, Supplier<RedisFuture<String>> ping) {
        var unused =
                resources
                        .eventExecutorGroup()
                        .scheduleWithFixedDelay(
                                () -> beat(ping),
                                EVERY.toMillis(),
                                EVERY.toMillis(),
                                TimeUnit.MILLISECONDS);
    }

    private static void beat(Supplier<RedisFuture<String>> ping) {
        try {
            // Who does not answer is noticed by those who watch the connection.
            var unused = ping.get().exceptionally(unheard -> "");
        } catch (RuntimeException notConnected) {
            // It is being made again.
        }
    }
}
