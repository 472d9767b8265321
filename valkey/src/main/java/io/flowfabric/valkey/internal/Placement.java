package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;

/** Which of the partitions of a spread namespace an id or a key leads to. */
@FunctionalInterface
public interface Placement {
    /** By chance, and the same in every process. */
    Placement HASHED = (name, count) -> Partition.crc16(name) % count;

    /**
     * The number of a partition, from 0.
     *
     * @param name the bytes of an id or a key
     * @param count how many partitions there are
     */
    int index(byte[] name, int count);
}
