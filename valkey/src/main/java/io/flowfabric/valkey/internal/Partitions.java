package io.flowfabric.valkey.internal;

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

    private Partitions() {}

    /** Those that are in use, in their order. */
    static List<Partition> inUse(ValkeyContext valkey) {
        var noted =
                valkey.read(
                                "read",
                                FIRST,
                                out -> out.list(1).list(2).text("global").list(1).text(FIELD))
                        .answer()
                        .at(0)
                        .at(0);
        var all = new ArrayList<>(List.of(FIRST));
        if (!noted.isAbsent()) {
            for (var number : Item.read(noted.bytes()).list()) {
                all.add(new Partition(number.small()));
            }
        }
        all.sort(Comparator.comparingInt(Partition::number));
        return List.copyOf(all);
    }
}
