package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.postgres.DatabaseOptions.ClientTimeouts;
import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceAccessMode;
import org.junit.jupiter.api.parallel.ResourceLock;

import java.time.Duration;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;

/**
 * R1: a client that is stopped cannot keep its locks, neither in the middle of an answer that it
 * does not take any more, nor between two statements of a transaction.
 */
@ResourceLock(value = TestPostgres.LONG_TRANSACTIONS, mode = ResourceAccessMode.READ)
class FrozenClientTest {
    private static final Statements THINGS = Things.create();
    private static final Statements LOCKS =
            Statements.parse(
                    THINGS.schema(),
                    Map.of(
                            "locks.sql",
                            """
                            -- name: lock
                            select id from ${schema}.thing where id = :id::uuid for update

                            -- name: lock_and_send
                            with locked as materialized (select id from ${schema}.thing where id = :id::uuid for update)
                            select locked.id, repeat('x', 1000000) as much from locked cross join generate_series(1, 100)

                            -- name: sending
                            select pid from pg_stat_activity where wait_event = 'ClientWrite' and query like '%lock_and_send%'
                            """));
    private static final ClientTimeouts SHORT =
            new ClientTimeouts(
                    Duration.ofSeconds(2), Duration.ofSeconds(60), Duration.ofSeconds(2));

    @Test
    void in_the_middle_of_a_large_answer() throws Exception {
        try (var wire = Wire.to(TestPostgres.options().withClientTimeouts(SHORT));
                var frozen = Database.open(wire.options(), LOCKS);
                var other = Database.open(TestPostgres.options().withConnections(2), LOCKS);
                var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            var id = add();
            wire.freezeAnswers();
            var claim =
                    threads.submit(
                            () -> frozen.query("lock_and_send").set("id", id).list(row -> 1));
            awaitSending(other);

            // It waits for less than its lock timeout of ten seconds.
            assertThat(lock(other, id)).isEqualTo(id);

            assertThat(claim).as("it has noticed nothing").isNotDone();
            wire.end();
            assertThatThrownBy(claim::get).hasCauseInstanceOf(StoreFailure.class);
        }
    }

    @Test
    void between_two_statements_of_a_transaction() {
        var options = TestPostgres.options().withConnections(1);
        try (var frozen = Database.open(options.withClientTimeouts(SHORT), LOCKS);
                var other = Database.open(options, LOCKS)) {
            var id = add();
            var taken = new AtomicBoolean();

            assertThatThrownBy(
                            () ->
                                    frozen.<UUID>transaction(
                                            tx -> {
                                                lock(tx, id);
                                                lock(other, id);
                                                taken.set(true);
                                                return lock(tx, id);
                                            }))
                    .isInstanceOfSatisfying(
                            StoreFailure.class,
                            failure -> assertThat(failure.mayHaveApplied()).isFalse());
            assertThat(taken).isTrue();
        }
    }

    private static UUID lock(Jdbc db, UUID id) {
        return db.query("lock").set("id", id).one(row -> row.uuid("id"));
    }

    private static UUID add() {
        try (var db = Database.open(TestPostgres.options().withConnections(1), THINGS)) {
            return Things.add(db, 1);
        }
    }

    /** Returns once the server waits for its client to take more of the answer. */
    private static void awaitSending(Database db) {
        long until = System.nanoTime() + Duration.ofSeconds(20).toNanos();
        while (db.query("sending").list(row -> row.intValue("pid")).isEmpty()) {
            if (System.nanoTime() - until > 0) {
                throw new AssertionError("the server does not wait for its client");
            }
            LockSupport.parkNanos(1_000_000);
        }
    }
}
