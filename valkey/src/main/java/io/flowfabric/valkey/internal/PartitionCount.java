package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.Unavailable;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

/**
 * How many partitions everything is shared out over: fixed when a server is used for the first
 * time, and looked at ever after. A program that counts otherwise would look for everything where
 * it is not.
 */
public final class PartitionCount {
    private static final String FIELD = "partition_count";

    private PartitionCount() {}

    /**
     * Notes it, or compares.
     *
     * @throws Unavailable when what is stored is shared out otherwise
     */
    public static void check(ValkeyContext valkey) {
        long stored =
                new GuardedWrites(valkey)
                        .decide(
                                Partitions.FIRST,
                                "the number of partitions",
                                draft -> {
                                    var known = draft.read("global", FIELD);
                                    if (known.isEmpty()) {
                                        var ours = new Packer().number(Partition.COUNT).done();
                                        draft.set("global", FIELD, ours);
                                    }
                                    return known.map(packed -> Item.read(packed).number())
                                            .orElse((long) Partition.COUNT);
                                });
        if (stored != Partition.COUNT) {
            throw new Unavailable(
                    ("What is stored under this prefix is shared out over %d partitions, and this"
                                    + " program shares out over %d: use the program that wrote it,"
                                    + " or another prefix.")
                            .formatted(stored, Partition.COUNT));
        }
    }
}
