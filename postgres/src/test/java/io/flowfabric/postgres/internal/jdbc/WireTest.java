package io.flowfabric.postgres.internal.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.postgres.TestPostgres;

import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.time.Instant;
import java.util.Arrays;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;

/** What goes over the wire, and what remains of it when the wire breaks. */
class WireTest {
    private static final Statements STATEMENTS = Things.create();

    @SuppressWarnings("NullAway.Init")
    private Wire wire;

    @SuppressWarnings("NullAway.Init")
    private Database db;

    @BeforeEach
    void connect() throws IOException {
        wire = Wire.to(TestPostgres.options());
        db = Database.open(wire.options(), STATEMENTS);
        // The first use of a statement prepares it.
        increase();
        find(UUID.randomUUID());
    }

    @AfterEach
    void disconnect() throws IOException {
        db.close();
        wire.close();
    }

    @Test
    void a_statement_is_one_round_trip() {
        var ids = new UUID[1000];
        Arrays.setAll(ids, i -> UUID.randomUUID());

        assertThat(roundTrips(this::increase)).isEqualTo(1);
        assertThat(
                        roundTrips(
                                () ->
                                        db.query("types")
                                                .set("longs", new long[1000])
                                                .set("shorts", new short[1000])
                                                .set("uuids", ids)
                                                .set("instants", new Instant[0])
                                                .set("bytes", new byte[0][])
                                                .run()))
                .isEqualTo(1);
    }

    @Test
    void a_transaction_is_one_round_trip_for_each_statement_and_one_for_the_commit() {
        var id = UUID.randomUUID();

        assertThat(
                        roundTrips(
                                () ->
                                        db.transaction(
                                                tx ->
                                                        tx.query("increase")
                                                                        .set("id", id)
                                                                        .set("by", 1)
                                                                        .update()
                                                                + tx.query("increase")
                                                                        .set("id", id)
                                                                        .set("by", 1)
                                                                        .update())))
                .isEqualTo(3);
    }

    @Test
    void a_statement_whose_answer_is_lost_may_have_been_applied() {
        var id = Things.add(db, 1);
        wire.loseAnswers();

        var failure =
                catchThrowableOfType(
                        StoreFailure.class,
                        () -> db.query("increase").set("id", id).set("by", 1).update());

        assertThat(failure.mayHaveApplied()).isTrue();
        wire.cut();
        assertThat(Things.amount(db, id)).as("with a new connection").isEqualTo(2);
    }

    @Test
    void a_transaction_that_breaks_before_its_commit_was_surely_not_applied() {
        var id = Things.add(db, 1);

        var failure =
                catchThrowableOfType(
                        StoreFailure.class,
                        () ->
                                db.<Object>transaction(
                                        tx -> {
                                            tx.query("increase")
                                                    .set("id", id)
                                                    .set("by", 1)
                                                    .update();
                                            wire.cut();
                                            return Things.amount(tx, id);
                                        }));

        assertThat(failure.mayHaveApplied()).isFalse();
        assertThat(Things.amount(db, id)).isEqualTo(1);
    }

    @Test
    void a_commit_whose_answer_is_lost_may_have_been_applied() {
        var id = new AtomicReference<UUID>();

        var failure =
                catchThrowableOfType(
                        StoreFailure.class,
                        () ->
                                db.<Object>transaction(
                                        tx -> {
                                            id.set(Things.add(tx, 1));
                                            wire.loseAnswers();
                                            return true;
                                        }));

        assertThat(failure.mayHaveApplied()).isTrue();
        wire.cut();
        assertThat(find(id.get())).as("with a new connection").isTrue();
    }

    /** The fewest of a few runs: after a pause the pool asks a connection whether it lives. */
    private int roundTrips(Runnable work) {
        int fewest = Integer.MAX_VALUE;
        for (int run = 0; run < 5; run++) {
            int before = wire.roundTrips();
            work.run();
            fewest = Math.min(fewest, wire.roundTrips() - before);
        }
        return fewest;
    }

    private void increase() {
        db.query("increase").set("id", UUID.randomUUID()).set("by", 1).update();
    }

    private boolean find(UUID id) {
        return db.query("find").set("id", id).optional(row -> row.uuid("id")).isPresent();
    }
}
