package io.flowfabric.valkey.internal.wire;

import io.lettuce.core.cluster.api.async.RedisClusterAsyncCommands;

import java.util.function.Consumer;

/** One server, or a cluster of them, through Lettuce. */
interface Servers extends AutoCloseable {
    /** Where commands go; those with keys find their node themselves. */
    RedisClusterAsyncCommands<byte[], byte[]> commands();

    /** Hands the functions to every server that keeps data. */
    void load(Library library);

    /** Hears what is told on a channel, also after a connection was lost and made again. */
    void subscribe(byte[] channel, Consumer<byte[]> listener);

    @Override
    void close();
}
