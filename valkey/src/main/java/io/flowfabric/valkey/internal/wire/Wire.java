package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Partition;

import java.time.Duration;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** What goes between this process and the servers. */
public interface Wire extends AutoCloseable {
    /**
     * Calls a function on a partition.
     *
     * @param request packed
     * @return what it answers, packed
     */
    byte[] call(String function, Partition partition, byte[] request);

    /**
     * Sends a call whose answer is waited for later. Calls of one thread on one partition are done
     * in the order in which they were sent, except for those that are refused and made again.
     *
     * @return waits for what it answers, packed
     */
    Supplier<byte[]> send(String function, Partition partition, byte[] request);

    /** Calls a function that only reads. */
    byte[] read(String function, Partition partition, byte[] request);

    /**
     * Calls a function beside all other calls, on a connection that is given up when its answer
     * takes longer than so.
     */
    byte[] callUrgently(String function, Partition partition, byte[] request, Duration patience);

    /**
     * Calls a function that only reads on several partitions at once, and waits for all of them.
     *
     * @param patience how long to wait for those that do not answer
     * @return of each partition what it answers, or why it does not
     */
    List<Answer<byte[]>> readEach(
            String function, List<Partition> partitions, List<byte[]> requests, Duration patience);

    /** How long a call waits for its answer. */
    Duration patience();

    /** Tells all processes something, soon. */
    void publish(byte[] message);

    /** Hears what processes tell, on a thread that must not be kept. */
    void listen(Consumer<byte[]> listener);

    /**
     * Hears that a connection was made again or that another server has taken the place of one: it
     * may have lost the last that the other was told.
     */
    void whenInDoubt(Runnable listener);

    @Override
    void close();
}
