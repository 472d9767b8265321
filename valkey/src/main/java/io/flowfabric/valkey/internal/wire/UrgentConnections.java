package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisFuture;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;
import io.lettuce.core.codec.ByteArrayCodec;
import io.lettuce.core.resource.ClientResources;

import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Function;

/**
 * The connections that heartbeats have to themselves, one to each node.
 *
 * <p>A session lives by its heartbeats, so they do not stand behind a large answer on the
 * connection that everything else shares, nor wait for one that hangs. A connection that breaks, or
 * does not answer within the patience of its caller, is given up; the next call makes another.
 */
final class UrgentConnections implements AutoCloseable {
    private final RedisClient client;
    private final Answers answers;
    private final Reconnections reconnections;
    private final Map<String, CompletableFuture<StatefulRedisConnection<byte[], byte[]>>> nodes =
            new ConcurrentHashMap<>();

    UrgentConnections(
            ClientResources resources,
            Duration connectTimeout,
            Answers answers,
            Reconnections reconnections) {
        this.client = RedisClient.create(resources);
        client.setOptions(ClientSettings.ofOneConnection(connectTimeout));
        this.answers = answers;
        this.reconnections = reconnections;
    }

    /**
     * What a node answers within the patience of the caller.
     *
     * @throws Unprepared when it was refused for want of something that can be seen to
     */
    <T> T call(
            RedisURI node,
            Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> call,
            Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        var name = node.getHost() + ":" + node.getPort();
        var made = nodes.computeIfAbsent(name, first -> connect(node));
        try {
            var connection = answers.connected(made, patience);
            var left = Duration.ofNanos(Math.max(1, until - System.nanoTime()));
            return answers.tryOut(() -> call.apply(connection.async()), left);
        } catch (Unprepared refused) {
            if (refused.need() == Unprepared.Need.A_CONNECTION) {
                giveUp(name, made);
            }
            throw refused;
        } catch (StoreFailure failure) {
            if (!made.isDone() || made.isCompletedExceptionally() || failure.mayHaveApplied()) {
                giveUp(name, made);
            }
            throw failure;
        }
    }

    private CompletableFuture<StatefulRedisConnection<byte[], byte[]>> connect(RedisURI node) {
        return client.connectAsync(ByteArrayCodec.INSTANCE, node).toCompletableFuture();
    }

    private void giveUp(
            String name, CompletableFuture<StatefulRedisConnection<byte[], byte[]>> made) {
        if (nodes.remove(name, made)) {
            var unused = made.thenCompose(StatefulRedisConnection::closeAsync);
            reconnections.tell();
        }
    }

    @Override
    public void close() {
        client.shutdown(Duration.ZERO, ClientSettings.PATIENCE_AT_THE_END);
    }
}
