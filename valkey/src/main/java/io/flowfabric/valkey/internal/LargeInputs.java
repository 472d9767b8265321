package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Partition;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * Fetches inputs that are too large to stand in the answer to a claim, in portions: a server does
 * nothing else while it puts an answer together, and one of hundreds of megabytes would not come in
 * time.
 */
final class LargeInputs {
    private static final int MOST = 256;

    /**
     * Where a piece, as {@code claim.lua} tells of it, has its id and its input or the size of it.
     */
    private static final int ID = 0;

    private static final int INPUT = 11;

    private final ValkeyContext valkey;

    LargeInputs(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * What a session was given, with the inputs instead of their sizes.
     *
     * @param pieces as {@code claim.lua} tells of them
     */
    List<Item> fetched(Partition home, List<Item> pieces) {
        var whole = new ArrayList<>(pieces);
        var apart =
                IntStream.range(0, pieces.size())
                        .filter(n -> isSize(pieces.get(n).at(INPUT)))
                        .boxed()
                        .toList();
        for (var portion : Chunks.of(apart, MOST, n -> pieces.get(n).at(INPUT).number())) {
            var told = read(home, portion.stream().map(n -> pieces.get(n).at(ID).uuid()).toList());
            for (int n = 0; n < portion.size(); n++) {
                int place = portion.get(n);
                var fields = new ArrayList<>(pieces.get(place).list());
                fields.set(INPUT, told.at(n));
                whole.set(place, new Item.Items(List.copyOf(fields)));
            }
        }
        return whole;
    }

    private static boolean isSize(Item input) {
        return input instanceof Item.Whole || input instanceof Item.Real;
    }

    /**
     * An input that is kept apart.
     *
     * @param told itself, or its size, or nothing when there is none
     */
    Item read(Partition home, ExecutionId execution, Item told) {
        return isSize(told) ? read(home, List.of(execution.uuid())).at(0) : told;
    }

    private Item read(Partition home, List<UUID> ids) {
        return valkey.read(
                        "read",
                        home,
                        out ->
                                out.list(1)
                                        .list(2)
                                        .text("detail")
                                        .list(ids, (o, id) -> Records.detail(o, id, 'i')))
                .answer()
                .at(0);
    }
}
