package io.flowfabric.valkey.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Partition;

import java.util.List;
import java.util.concurrent.atomic.AtomicReferenceArray;

/**
 * The names of all keys, partition by partition. Those of one partition lie together in a cluster.
 */
public final class KeySpace {
    /**
     * The keys of a partition, in the order in which every call declares them; {@code keys.lua}
     * says what they are.
     */
    public static final List<String> NAMES =
            List.of(
                    "meta",
                    "name",
                    "lane",
                    "route",
                    "gate",
                    "users",
                    "head",
                    "execution",
                    "detail",
                    "unique",
                    "count",
                    "quota",
                    "meter",
                    "budget",
                    "spending",
                    "session",
                    "receipt",
                    "share",
                    "namespace",
                    "log",
                    "history",
                    "global",
                    "ready",
                    "front",
                    "shut",
                    "closed",
                    "turns",
                    "standing",
                    "tag",
                    "ended",
                    "worker",
                    "listing",
                    "deadline",
                    "attempt",
                    "stall",
                    "wake",
                    "grant",
                    "expiry",
                    "forget",
                    "due",
                    "told",
                    "waitpoint",
                    "suspension",
                    "frame",
                    "stream",
                    "flow",
                    "member",
                    "arc",
                    "flows",
                    "unsettled");

    private final String prefix;
    private final AtomicReferenceArray<byte[][]> keys = new AtomicReferenceArray<>(Partition.COUNT);

    /**
     * @param prefix what all keys begin with
     */
    public KeySpace(String prefix) {
        this.prefix = prefix;
    }

    /** The keys of a partition. They are not to be changed. */
    public byte[][] of(Partition partition) {
        var known = keys.get(partition.number());
        if (known == null) {
            known = NAMES.stream().map(name -> key(partition, name)).toArray(byte[][]::new);
            keys.set(partition.number(), known);
        }
        return known;
    }

    /** One key of a partition. */
    public byte[] key(Partition partition, String name) {
        return "%s%s:%s".formatted(prefix, partition, name).getBytes(UTF_8);
    }

    /** The channel on which processes tell each other of work and of losses. */
    public byte[] channel() {
        return (prefix + "news").getBytes(UTF_8);
    }
}
