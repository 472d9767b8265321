package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.Partition;

import java.util.function.Consumer;

/** What goes between this process and the servers. */
public interface Wire extends AutoCloseable {
    /**
     * Calls a function on a partition.
     *
     * @param request packed
     * @return what it answers, packed
     */
    byte[] call(String function, Partition partition, byte[] request);

    /** Calls a function that only reads. */
    byte[] read(String function, Partition partition, byte[] request);

    /** Tells all processes something, soon. */
    void publish(byte[] message);

    /** Hears what processes tell, on a thread that must not be kept. */
    void listen(Consumer<byte[]> listener);

    @Override
    void close();
}
