package io.flowfabric.bench.server;

import io.flowfabric.postgres.DatabaseOptions;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** How to reach a database. */
public record Login(String url, String user, String password) {

    /** The options with which the product would connect there. */
    public DatabaseOptions options() {
        return DatabaseOptions.of(url, user, password);
    }

    /**
     * A connection whose statements are prepared at their first use, as those of the product are.
     */
    public Connection connect() throws SQLException {
        return DriverManager.getConnection(url + "&prepareThreshold=1", user, password);
    }
}
