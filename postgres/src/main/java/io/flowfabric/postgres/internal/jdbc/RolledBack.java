package io.flowfabric.postgres.internal.jdbc;

import java.sql.SQLException;

/** Postgres undid everything to resolve a deadlock or a serialisation conflict: worth a repeat. */
final class RolledBack extends RuntimeException {
    private static final long serialVersionUID = 1L;

    RolledBack(SQLException cause) {
        super(cause);
    }
}
