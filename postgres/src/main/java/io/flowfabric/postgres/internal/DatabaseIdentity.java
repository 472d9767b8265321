package io.flowfabric.postgres.internal;

import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

/** Tells connections to the database of the store from others. */
public final class DatabaseIdentity {
    private final Database db;
    private volatile @Nullable String known;

    public DatabaseIdentity(Database db) {
        this.db = db;
    }

    /** Whether statements that run there work on the data of the store. */
    public boolean isAt(Jdbc there) {
        var other = read(there);
        if (other.equals(known)) {
            return true;
        }
        // The first time, or the store's server was restarted or has failed over since.
        var now = read(db);
        known = now;
        return other.equals(now);
    }

    private static String read(Jdbc db) {
        return db.query("home").one(row -> row.text("home"));
    }
}
