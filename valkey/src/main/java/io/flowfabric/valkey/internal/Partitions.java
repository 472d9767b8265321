package io.flowfabric.valkey.internal;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * Which partitions are in use. Each is noted where the default namespace lies, before the first
 * write to it; that one itself always is.
 */
final class Partitions {
    /** Where the others are noted. */
    static final Partition FIRST = Partition.of(Namespace.DEFAULT);

    private static final String FIELD = "partitions";

    private final ValkeyContext valkey;

    /** As they were when they were last read. */
    private volatile List<Partition> known = List.of();

    Partitions(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Those that are in use at a moment.
     *
     * @param bound what is written into any other has a higher stamp than this
     */
    record Listing(List<Partition> partitions, long bound) {}

    /** Those that are in use, in their order. */
    List<Partition> inUse() {
        return listing().partitions;
    }

    Listing listing() {
        var told =
                valkey.read(
                        "read",
                        FIRST,
                        out -> out.list(1).list(2).text("global").list(1).text(FIELD));
        var noted = told.answer().at(0).at(0);
        var all = new ArrayList<>(List.of(FIRST));
        if (!noted.isAbsent()) {
            for (var number : Item.read(noted.bytes()).list()) {
                all.add(new Partition(number.small()));
            }
        }
        all.sort(Comparator.comparingInt(Partition::number));
        known = List.copyOf(all);
        return new Listing(known, told.now().toEpochMilli() * LogPortion.STAMPS_IN_A_MILLISECOND);
    }

    /** Those that are in use; while this cannot be asked, those that were when it could. */
    List<Partition> lastKnown() {
        try {
            return inUse();
        } catch (FlowFabricException away) {
            if (known.isEmpty()) {
                throw away;
            }
            return known;
        }
    }
}
