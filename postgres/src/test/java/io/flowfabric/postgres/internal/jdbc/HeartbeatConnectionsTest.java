package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.Test;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.locks.LockSupport;

class HeartbeatConnectionsTest {
    private static final Statements THINGS = Things.create();
    private static final Statements LOCKS =
            Statements.parse(
                    THINGS.schema(),
                    Map.of(
                            "locks.sql",
                            """
                            -- name: lock
                            select id from ${schema}.thing where id = :id::uuid for update

                            -- name: waiting
                            select count(*) as count from pg_stat_activity
                            where wait_event_type = 'Lock' and query like '%${schema}.thing%for update%'
                            """));

    @Test
    void a_heartbeat_that_finds_both_in_use_says_so_and_what_becomes_of_it() throws Exception {
        var options = TestPostgres.options().withConnections(2);
        try (var db = Database.open(options, LOCKS);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var id = add();
            var patient = Duration.ofSeconds(30);
            var unused =
                    db.<UUID>transaction(
                            tx -> {
                                var locked =
                                        tx.query("lock").set("id", id).one(row -> row.uuid("id"));
                                for (int i = 0; i < 2; i++) {
                                    threads.execute(() -> lock(db, id, patient));
                                }
                                awaitWaiting(db, 2);

                                assertThatThrownBy(() -> lock(db, id, Duration.ofMillis(50)))
                                        .isInstanceOf(StoreFailure.class)
                                        .hasMessageStartingWith(
                                                ("Both connections for heartbeats to %s were in use"
                                                     + " for 50 ms: the database is slow or away."
                                                     + " The heartbeat is repeated while the"
                                                     + " session lives.")
                                                        .formatted(options.server()));
                                return locked;
                            });
        }
    }

    @Test
    void a_heartbeat_is_given_the_answer_to_its_statement() {
        var id = add();
        try (var db = Database.open(TestPostgres.options().withConnections(1), LOCKS)) {
            assertThat(lock(db, id, Duration.ofSeconds(30))).isEqualTo(id);
        }
    }

    private static UUID lock(Database db, UUID id, Duration patience) {
        return db.heartbeatQuery("lock", patience).set("id", id).one(row -> row.uuid("id"));
    }

    private static UUID add() {
        try (var db = Database.open(TestPostgres.options().withConnections(1), THINGS)) {
            return Things.add(db, 1);
        }
    }

    private static void awaitWaiting(Database db, int count) {
        for (int look = 0; look < 2000; look++) {
            if (db.query("waiting").one(row -> row.longValue("count")) == count) {
                return;
            }
            LockSupport.parkNanos(5_000_000);
        }
        throw new AssertionError("no two heartbeats wait");
    }
}
