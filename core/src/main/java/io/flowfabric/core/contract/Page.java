package io.flowfabric.core.contract;

import io.flowfabric.core.Cursor;

import java.util.List;

/**
 * A piece of a listing.
 *
 * @param next where to go on; the empty cursor when there is nothing more
 */
public record Page<T>(List<T> items, Cursor next) {
    public Page {
        items = List.copyOf(items);
    }
}
