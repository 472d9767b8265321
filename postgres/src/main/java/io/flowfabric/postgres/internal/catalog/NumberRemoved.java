package io.flowfabric.postgres.internal.catalog;

/**
 * Something that this process knew by its number has been removed since. Who has undone what it did
 * with the number {@linkplain Catalog#forget forgets} it and looks it up again.
 */
public final class NumberRemoved extends RuntimeException {
    private static final long serialVersionUID = 1;

    public NumberRemoved() {
        super("A gate or a meter that had no work has been removed.");
    }
}
