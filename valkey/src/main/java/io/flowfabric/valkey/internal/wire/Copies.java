package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.StoreFailure;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import java.time.Duration;

/**
 * What replicas must have before a call that writes is answered.
 *
 * @param replicas how many of them
 * @param timeout after which they are given up
 */
public record Copies(int replicas, Duration timeout) {
    /** A call is answered as soon as the primary has it. */
    public static final Copies NONE = new Copies(0, Duration.ZERO);

    boolean areWanted() {
        return replicas > 0;
    }

    /** Asks how many replicas have what was sent on a connection so far. */
    RedisFuture<Long> behind(RedisClusterAsyncCommands<byte[], byte[]> connection) {
        return connection.waitForReplication(replicas, timeout.toMillis());
    }

    /** Waits until enough have it. Whatever goes wrong here, the primary has it. */
    void check(RedisFuture<Long> behind, Answers answers) {
        long found;
        try {
            found = answers.await(() -> behind);
        } catch (FlowFabricException e) {
            throw new StoreFailure(
                    "Whether %d replicas have it is not known: %s"
                            .formatted(replicas, e.getMessage()),
                    true,
                    e);
        }
        if (found < replicas) {
            throw new StoreFailure(
                    ("Within %s it was acknowledged by %d replicas, not by %d: see that they run"
                                    + " and keep up.")
                            .formatted(timeout, found, replicas),
                    true,
                    new IllegalStateException("WAIT answered " + found));
        }
    }
}
