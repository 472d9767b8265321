package io.flowfabric.core;

import java.util.List;

/**
 * A piece of a listing.
 *
 * <p>It may hold fewer than were asked for, even none, when what fits is rare: a page does a
 * bounded amount of work. Only the cursor says whether there is more.
 *
 * @param next where to go on; {@link Cursor#END} when there is nothing more
 */
public record Page<T>(List<T> items, Cursor next) {
    public Page {
        items = List.copyOf(items);
    }
}
