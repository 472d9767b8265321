package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.DatabaseOptions.Pooling;
import io.flowfabric.postgres.TestPostgres;
import io.flowfabric.postgres.TransactionPooler;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.IntStream;

/**
 * R14: behind a pooler that gives every transaction another connection to the server, all of our
 * statements run with our settings, nobody else's do, and nothing is looked for where it was not
 * prepared.
 */
class PoolerTest {
    private static final Statements THINGS = Things.create();
    private static final Statements SETTINGS =
            Statements.parse(
                    THINGS.schema(),
                    Map.of(
                            "settings.sql",
                            """
                            -- name: settings
                            select concat_ws(' ', current_setting('enable_seqscan'), current_setting('plan_cache_mode'),
                                current_setting('statement_timeout'), current_setting('idle_in_transaction_session_timeout')) as all

                            -- name: prepared
                            select count(*) from pg_prepared_statements where statement like '%flowfabric:settings%'

                            -- name: one_moment
                            set transaction isolation level repeatable read, read only
                            """));
    private static final String OURS = "off force_generic_plan 30s 10s";

    @SuppressWarnings("NullAway.Init")
    private TransactionPooler pooler;

    @SuppressWarnings("NullAway.Init")
    private DatabaseOptions options;

    @BeforeEach
    void start() throws IOException {
        var server = TestPostgres.options();
        pooler = TransactionPooler.before(server);
        options = server.withUrl(pooler.url()).withConnections(3);
    }

    @AfterEach
    void stop() throws IOException {
        pooler.close();
    }

    @Test
    void every_statement_and_every_transaction_of_ours_has_our_settings() {
        try (var db = Database.open(options, SETTINGS)) {
            for (int i = 0; i < 10; i++) {
                assertThat(settings(db)).isEqualTo(OURS);
                assertThat(db.<List<String>>transaction(tx -> List.of(settings(tx), settings(tx))))
                        .containsExactly(OURS, OURS);
            }
        }
    }

    @Test
    void a_transaction_may_begin_with_what_only_the_first_statement_can_say() {
        try (var db = Database.open(options, SETTINGS)) {
            var seen =
                    db.transaction(
                            tx -> {
                                tx.query("one_moment").run();
                                return settings(tx);
                            });

            assertThat(seen).isEqualTo(OURS);
        }
    }

    @Test
    void nobody_else_finds_our_settings() throws SQLException {
        try (var db = Database.open(options, SETTINGS)) {
            IntStream.range(0, 10).forEach(i -> settings(db));
            db.transaction(PoolerTest::settings);

            assertThat(settingsOfOthers(20)).containsOnly("");
        }
    }

    @Test
    void statements_run_on_whichever_connection_they_are_given() {
        try (var db = Database.open(options, THINGS)) {
            assertThat(db.options().pooling()).isEqualTo(Pooling.TRANSACTION);
            var id = Things.add(db, 1);
            for (int i = 0; i < 20; i++) {
                db.query("increase").set("id", id).set("by", 1).update();
            }
            db.transaction(tx -> tx.query("increase").set("id", id).set("by", 1).update());

            assertThat(Things.amount(db, id)).isEqualTo(22);
            assertThat(db.query("find").set("id", UUID.randomUUID()).optional(row -> true))
                    .isEmpty();
        }
    }

    @Test
    void a_statement_is_one_round_trip_behind_a_pooler_too() throws IOException {
        try (var wire = Wire.to(options);
                var db = Database.open(wire.options(), THINGS)) {
            var id = Things.add(db, 1);
            int fewest = Integer.MAX_VALUE;
            for (int i = 0; i < 5; i++) {
                int before = wire.roundTrips();
                db.query("increase").set("id", id).set("by", 1).update();
                fewest = Math.min(fewest, wire.roundTrips() - before);
            }

            assertThat(fewest).isEqualTo(1);
        }
    }

    @Test
    void a_pooler_that_keeps_prepared_statements_gets_settings_and_statements_prepared() {
        // Without a pooler, each finds what it has prepared, as behind one that keeps it.
        var keeping =
                TestPostgres.options().withConnections(1).withPooling(Pooling.TRANSACTION_PREPARED);
        try (var db = Database.open(keeping, SETTINGS)) {
            for (int i = 0; i < 3; i++) {
                assertThat(settings(db)).isEqualTo(OURS);
                assertThat(db.transaction(PoolerTest::settings)).isEqualTo(OURS);
            }
            long prepared = db.query("prepared").one(row -> row.longValue("count"));
            assertThat(prepared).isPositive();
        }
    }

    @Test
    void without_a_pooler_nothing_goes_in_front_of_a_statement() {
        try (var db = Database.open(TestPostgres.options().withConnections(1), SETTINGS)) {
            assertThat(db.options().pooling()).isEqualTo(Pooling.NONE);
            assertThat(settings(db)).isEqualTo(OURS);
            assertThat(db.canListen()).isTrue();
        }
    }

    @Test
    void who_is_mistaken_about_the_pooler_is_told_what_to_do() {
        var mistaken = options.withPooling(Pooling.NONE).withConnections(1);

        assertThatThrownBy(
                        () -> {
                            try (var one = Database.open(mistaken, THINGS);
                                    var other = Database.open(mistaken, THINGS)) {
                                for (int i = 0; i < 20; i++) {
                                    Things.add(one, 1);
                                    Things.add(other, 1);
                                }
                            }
                        })
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("pooler")
                .hasMessageContaining("withPooling(TRANSACTION)");
    }

    @Test
    void a_pooler_with_another_isolation_by_default_is_refused() {
        var strict =
                options.withUrl(with("options=-c%20default_transaction_isolation=serializable"));

        assertThatThrownBy(() -> Database.open(strict, THINGS))
                .isInstanceOf(Unavailable.class)
                .hasMessageStartingWith(strict.server())
                .hasMessageContaining("serializable")
                .hasMessageContaining("alter role %s set".formatted(options.user()));
    }

    @Test
    void who_listens_needs_a_way_around_the_pooler() {
        var direct = TestPostgres.options().url();
        try (var db = Database.open(options, THINGS);
                var around = Database.open(options.withDirectUrl(direct), THINGS)) {
            assertThat(db.canListen()).isFalse();
            assertThat(around.canListen()).isTrue();
        }
        assertThatThrownBy(() -> Database.open(options.withDirectUrl(pooler.url()), THINGS))
                .isInstanceOf(Unavailable.class)
                .hasMessageContaining("direct URL");
    }

    private String with(String parameter) {
        var url = pooler.url();
        return url + (url.contains("?") ? "&" : "?") + parameter;
    }

    private static String settings(Jdbc db) {
        return db.query("settings").one(row -> row.text("all"));
    }

    /**
     * What is set on one connection to the server after the other, as those see who use the pooler
     * for something else; but for their own name.
     */
    private List<String> settingsOfOthers(int looks) throws SQLException {
        var seen = new ArrayList<String>();
        try (var connection =
                        DriverManager.getConnection(
                                with("prepareThreshold=0&assumeMinServerVersion=15"),
                                options.user(),
                                options.password());
                var statement = connection.createStatement()) {
            for (int i = 0; i < looks; i++) {
                try (var result =
                        statement.executeQuery(
                                "select coalesce(string_agg(name, ' '), '') from pg_settings where"
                                        + " source = 'session' and name <> 'application_name'")) {
                    result.next();
                    seen.add(result.getString(1));
                }
            }
        }
        return seen;
    }
}
