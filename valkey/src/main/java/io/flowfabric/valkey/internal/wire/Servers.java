package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.RedisFuture;
import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Function;

/** One server, or a cluster of them, through Lettuce. */
interface Servers extends AutoCloseable {
    /** Where commands go; those with keys find their node themselves. */
    RedisClusterAsyncCommands<byte[], byte[]> commands();

    /**
     * What the server where a key lies answers on a connection that nothing else uses. That is
     * given up when it takes longer than the caller's patience.
     *
     * @throws Unprepared when it was refused for want of something that can be seen to
     */
    <T> T urgently(
            byte[] key,
            Function<RedisClusterAsyncCommands<byte[], byte[]>, RedisFuture<T>> call,
            Duration patience);

    /**
     * Connects to where a key lies, unless that was done before: what is sent to a node for the
     * first time is refused.
     */
    void connect(byte[] key);

    /** The connection that leads to where a key lies; what is moved meanwhile is not followed. */
    RedisClusterAsyncCommands<byte[], byte[]> at(byte[] key);

    /** The connection to a server that another one has named. */
    RedisClusterAsyncCommands<byte[], byte[]> at(String host, int port);

    /** The servers that keep data, without their replicas. */
    List<Primary> primaries();

    /**
     * A server that keeps data.
     *
     * @param name where it is
     */
    record Primary(String name, RedisClusterAsyncCommands<byte[], byte[]> commands) {}

    /** Looks for the primary anew, because what was taken for it has become a replica. */
    void seekPrimary();

    /**
     * Hands the functions to the server where a key lies, and to all others that can be reached.
     */
    void load(Library library, byte[] key);

    /** Says that a call is about to be made, so that it is noticed when a key has moved. */
    void notice(byte[] key);

    /** How often a connection was made again, or another server came to have a key. */
    int doubts();

    /** Hears that a connection was made again, or that another server has a key now. */
    void whenInDoubt(Runnable listener);

    /** Hears what is told on a channel, also after a connection was lost and made again. */
    void subscribe(byte[] channel, Consumer<byte[]> listener);

    @Override
    void close();
}
