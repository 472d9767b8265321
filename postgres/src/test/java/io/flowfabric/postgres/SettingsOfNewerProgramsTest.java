package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;

/** What a newer program has set survives a change that this one makes. */
class SettingsOfNewerProgramsTest {
    private static final Attribution BY = new Attribution("ada", "because");

    private final PostgresFixture fixture = new PostgresFixture();

    @BeforeEach
    void a_newer_program_has_been_here() throws SQLException {
        change(1);
        for (String table : List.of("lane", "namespace", "quota", "budget")) {
            execute(
                    "update %s.%s set settings = settings || '{\"colour\": {\"of\": [1, null]}}'"
                            .formatted(fixture.schema().text(), table));
        }
    }

    @AfterEach
    void close() {
        fixture.close();
    }

    private void change(int step) {
        var store = fixture.store();
        store.quotas().define(Quota.atOnce("calls", step), BY);
        store.budgets().define(Budget.of("team", "tokens", step), BY);
        store.lanes().configure(Lane.DEFAULT, LaneSettings.DEFAULT.weight(step + 1), BY);
        store.namespaces()
                .configure(
                        Namespace.DEFAULT,
                        NamespaceSettings.DEFAULT.retention(Duration.ofHours(step)),
                        BY);
    }

    @Test
    void what_this_program_does_not_know_is_kept_when_it_changes_the_rest() throws SQLException {
        change(5);

        assertThat(fixture.store().lanes().describe(Lane.DEFAULT).settings().weight()).isEqualTo(6);
        assertThat(fixture.store().namespaces().describe(Namespace.DEFAULT).settings().retention())
                .isEqualTo(Duration.ofHours(5));
        for (String table : List.of("lane", "namespace", "quota", "budget")) {
            assertThat(colour(table)).as(table).isEqualTo("{\"of\": [1, null]}");
        }
    }

    private String colour(String table) throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement();
                var rows =
                        statement.executeQuery(
                                "select settings ->> 'colour' from %s.%s"
                                        .formatted(fixture.schema().text(), table))) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }

    private static void execute(String sql) throws SQLException {
        try (var connection = connect();
                var statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static Connection connect() throws SQLException {
        var server = TestServer.get();
        return DriverManager.getConnection(server.url(), server.user(), server.password());
    }
}
