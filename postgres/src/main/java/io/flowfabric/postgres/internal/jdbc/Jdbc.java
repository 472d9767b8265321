package io.flowfabric.postgres.internal.jdbc;

/**
 * Where statements run: on a {@link Database} each one is its own commit, in a {@link Transaction}
 * they share one.
 */
public sealed interface Jdbc permits Database, Transaction {
    /**
     * The named statement, ready to be bound and run once.
     *
     * @throws IllegalArgumentException when there is no statement of this name
     */
    Query query(String name);
}
