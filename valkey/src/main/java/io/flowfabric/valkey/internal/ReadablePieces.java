package io.flowfabric.valkey.internal;

import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Function;

/**
 * What was given to a worker, as far as it can be read: one damaged piece never stops the others.
 *
 * @param damaged the ids of what cannot
 */
record ReadablePieces<T>(List<T> readable, List<UUID> damaged) {
    /**
     * @param pieces each begins with its id
     * @param reader throws {@link Item.Unreadable}, or whatever else a damaged value causes
     */
    static <T> ReadablePieces<T> of(List<Item> pieces, Function<Item, T> reader) {
        var readable = new ArrayList<T>();
        var damaged = new ArrayList<UUID>();
        for (var piece : pieces) {
            try {
                readable.add(Item.decoded(() -> reader.apply(piece)));
            } catch (Item.Unreadable unreadable) {
                damaged.add(piece.at(0).uuid());
            }
        }
        return new ReadablePieces<>(readable, damaged);
    }
}
