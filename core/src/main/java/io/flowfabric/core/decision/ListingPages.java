package io.flowfabric.core.decision;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Page;

import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.function.Function;

/** Cuts listings into pages. */
public final class ListingPages {
    private ListingPages() {}

    /**
     * The first page of what was found; the position of its last item is where the next one begins.
     *
     * @param items at least one more than a page holds, when there is more
     */
    public static <T> Page<T> page(List<T> items, int max, Function<T, byte[]> position) {
        Limit.PAGE.checkRange("max", 1, max);
        if (items.size() <= max) {
            return new Page<>(items, Cursor.END);
        }
        var page = items.subList(0, max);
        return new Page<>(page, Cursor.at(Cursor.Purpose.LISTING, position.apply(page.getLast())));
    }

    /** The first page of a listing in the order of names. */
    public static <T> Page<T> byName(List<T> items, int max, Function<T, String> name) {
        return page(items, max, item -> name.apply(item).getBytes(StandardCharsets.UTF_8));
    }

    /** The name after which a listing in the order of names goes on; empty at its start. */
    public static String nameAfter(Cursor cursor) {
        return cursor.equals(Cursor.START)
                ? ""
                : new String(cursor.position(Cursor.Purpose.LISTING), StandardCharsets.UTF_8);
    }
}
