package io.flowfabric.postgres;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Page;

import java.util.List;
import java.util.function.Function;

/** Cuts a listing into pages. */
final class ListingPages {
    private ListingPages() {}

    /**
     * A page of what was read.
     *
     * @param items one more than a page holds, when there is more
     * @param position where the next page begins, after an item
     */
    static <T> Page<T> page(List<T> items, int max, Function<T, byte[]> position) {
        if (items.size() <= max) {
            return new Page<>(items, Cursor.END);
        }
        var page = items.subList(0, max);
        return new Page<>(page, Cursor.at(Cursor.Purpose.LISTING, position.apply(page.getLast())));
    }
}
