package io.flowfabric.postgres;

import io.flowfabric.embedded.EmbeddedPostgres;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.Objects;
import java.util.Optional;

/** A Postgres that tests can log in to. */
record ServerLogin(String url, String user, String password) {
    /** The variables of the environment that name a server outside of the tests. */
    private static final String PREFIX = "FLOWFABRIC_TEST_";

    static ServerLogin of(EmbeddedPostgres server) {
        return new ServerLogin(server.url(), server.user(), server.password());
    }

    /** The server that {@code FLOWFABRIC_TEST_URL}, {@code _USER} and {@code _PASSWORD} name. */
    static Optional<ServerLogin> fromEnvironment() {
        return Optional.ofNullable(System.getenv(PREFIX + "URL"))
                .map(url -> new ServerLogin(url, variable("USER"), variable("PASSWORD")));
    }

    private static String variable(String name) {
        return Objects.requireNonNullElse(System.getenv(PREFIX + name), "");
    }

    DatabaseOptions options() {
        return DatabaseOptions.of(url, user, password);
    }

    Connection connect() throws SQLException {
        return DriverManager.getConnection(url, user, password);
    }
}
