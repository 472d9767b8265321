package io.flowfabric.testkit.memory;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;

import java.util.List;
import java.util.function.Function;

/** Cuts a listing into pages. */
final class MemoryPages {
    private MemoryPages() {}

    /**
     * The first page of what remains; the position of its last item is where the next one begins.
     */
    static <T> Page<T> page(List<T> remaining, int max, Function<T, byte[]> position) {
        Limit.PAGE.checkRange("max", 1, max);
        if (remaining.size() <= max) {
            return new Page<>(remaining, Cursor.END);
        }
        var items = remaining.subList(0, max);
        return new Page<>(
                items, Cursor.at(Cursor.Purpose.LISTING, position.apply(items.getLast())));
    }
}
