package io.flowfabric.valkey.internal;

import static java.util.stream.Collectors.groupingBy;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What work that is gone has left in other partitions: its signpost, the key that was held for it,
 * and what it reported. The partition of the work notes that until all of it is removed, so what
 * could not be removed because a partition was away is found again.
 */
final class SpreadLeftovers {
    private static final Logger log = LoggerFactory.getLogger(SpreadLeftovers.class);

    /** How many are looked at in one call, and how many calls one round makes. */
    private static final int PORTION = 100;

    private static final int MOST_CALLS = 10;

    private final ValkeyContext valkey;

    /** Of each partition the note behind which the next round begins. */
    private final Map<Partition, byte[]> passed = new ConcurrentHashMap<>();

    SpreadLeftovers(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * A piece of work that is gone.
     *
     * @param note how its partition notes that it may have left something
     */
    record Gone(ExecutionId id, Namespace namespace, Optional<String> key, Item note) {
        /** As {@code forget.lua} tells of it. */
        static Gone of(Item told, Item note) {
            return new Gone(
                    new ExecutionId(new Partition(told.at(1).small()), told.at(0).uuid()),
                    new Namespace(told.at(2).text()),
                    told.at(3).optional(Item::text),
                    note);
        }
    }

    /**
     * Says where work is about to be forgotten, and whether any of it may leave something.
     *
     * @param namespaces of the work, as far as they are known
     */
    void writePlace(Packer out, Partition home, Collection<Namespace> namespaces) {
        // They come first: so this process hears of those that are spread.
        boolean wide = namespaces.stream().anyMatch(it -> valkey.spread(it).isWide());
        out.list(2).number(home.number()).truth(wide || valkey.spreads().isPart(home));
    }

    /**
     * Removes what work has left that is gone; what cannot be removed now, later.
     *
     * @param home where it was
     */
    void remove(List<Gone> gone, Partition home) {
        try {
            if (!gone.isEmpty()) {
                new LeftoverRemoval(valkey, home).remove(gone);
            }
        } catch (FlowFabricException away) {
            // That it is gone is done, whatever becomes of the rest.
            log.warn("What is left of work that is gone is removed later", away);
        }
    }

    /** Removes what could not be removed before. */
    void removeAgain(Partition home) {
        var removal = new LeftoverRemoval(valkey, home);
        for (int calls = 0; calls < MOST_CALLS; calls++) {
            var after = Optional.ofNullable(passed.get(home));
            var notes =
                    valkey.read(
                                    "leftovers",
                                    home,
                                    out ->
                                            out.list(2)
                                                    .optional(after, Packer::bytes)
                                                    .number(PORTION))
                            .answer()
                            .list();
            if (!notes.isEmpty()) {
                passed.put(home, notes.getLast().at(0).bytes());
                // What is there again has signposts and keys of its own.
                var again = notes.stream().collect(groupingBy(note -> note.at(1).truth()));
                removal.drop(
                        again.getOrDefault(true, List.of()).stream().map(it -> it.at(0)).toList());
                var gone = again.getOrDefault(false, List.of());
                if (!gone.isEmpty()) {
                    removal.remove(
                            gone.stream()
                                    .map(it -> Gone.of(Item.read(it.at(2).bytes()), it.at(0)))
                                    .toList());
                }
            }
            if (notes.size() < PORTION) {
                passed.remove(home);
                break;
            }
        }
    }
}
