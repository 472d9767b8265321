package io.flowfabric.examples;

import io.flowfabric.FlowFabric;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;

/** Where the database of an example is, for what goes there beside the fabric. */
record DatabaseLogin(String url, String user, String password) {
    static DatabaseLogin of(EmbeddedPostgres server) {
        return new DatabaseLogin(server.url(), server.user(), server.password());
    }

    FlowFabric fabric() {
        return FlowFabric.connect(url, user, password);
    }

    Connection connection() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }

    /** Without the password. */
    @Override
    public String toString() {
        return user + " at " + url;
    }
}
