package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Payload;
import io.flowfabric.core.store.StoreProvider;
import io.flowfabric.core.submit.Submission;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.ServiceLoader;
import java.util.UUID;

/** Whoever has the URL of a database has a store on it. */
class OpeningByUrlTest {
    private final ServerLogin server = TestServer.get();
    private final String database = "opened_" + UUID.randomUUID().toString().replace('-', '_');

    @BeforeEach
    void create() throws SQLException {
        execute("create database " + database);
    }

    @AfterEach
    void drop() throws SQLException {
        execute("drop database " + database);
    }

    @Test
    void what_was_submitted_is_there_when_the_store_is_opened_again() {
        var work = Submission.of("greet", Payload.text("hello"));
        try (var store = provider().open(url(), server.user(), server.password())) {
            store.submissions().submit(List.of(work)).getFirst().orThrow();
        }
        try (var again = provider().open(url(), server.user(), server.password())) {
            assertThat(again.queries().describe(List.of(work.id())).getFirst().isDone()).isTrue();
        }
    }

    private static StoreProvider provider() {
        return ServiceLoader.load(StoreProvider.class).stream()
                .map(ServiceLoader.Provider::get)
                .filter(it -> it.schemes().contains("jdbc:postgresql:"))
                .findFirst()
                .orElseThrow();
    }

    private String url() {
        return server.url().replaceFirst("/[^/?]*($|\\?)", "/" + database + "$1");
    }

    private void execute(String statement) throws SQLException {
        try (var connection =
                        DriverManager.getConnection(
                                server.url(), server.user(), server.password());
                var its = connection.createStatement()) {
            its.execute(statement);
        }
    }
}
