package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.Contended;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.jdbc.Transaction;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.SQLException;
import java.util.Optional;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Finds out whether the log of events is still where it was when the cursors were given out that
 * lead into it.
 *
 * <p>Cursors speak of transactions, and every server counts its own. So the log remembers where it
 * is. When it wakes up somewhere else, after a dump and restore or on a standby that took over, an
 * era ends: cursors of the one before are refused by name. On another server, or in another
 * database, it is noted as well up to which event the log was written elsewhere: the transactions
 * of those mean nothing here, and they are taken to have been there from the beginning.
 */
public final class LogIncarnation {
    private static final Logger log = LoggerFactory.getLogger(LogIncarnation.class);
    private static final int TRIES = 5;

    /** So that a cursor, which holds no negative numbers, has it in eight bytes. */
    private static final long ERAS = 1L << 56;

    private final Database db;
    private volatile @Nullable String settledOn;

    public LogIncarnation(Database db) {
        this.db = db;
    }

    /**
     * Where a log is.
     *
     * @param origin server and database
     * @param timeline grows when a copy of the server takes over from it
     */
    private record Whereabouts(String origin, int timeline) {
        static Whereabouts of(Row row) {
            return new Whereabouts(row.text("origin"), row.intValue("timeline"));
        }
    }

    /** Whether it is known that the log was at home on this server when last looked at. */
    public boolean isSettledOn(String server) {
        return server.equals(settledOn);
    }

    /** Begins another era if the log is not where it was. */
    public void settle() {
        var server = db.query("log_origin_kept").one(row -> row.text("server"));
        var here = here();
        if (!Optional.of(here).equals(kept(db, "log_origin_kept"))) {
            beginEra(here);
        }
        settledOn = server;
    }

    private Whereabouts here() {
        try {
            return db.query("log_origin").one(Whereabouts::of);
        } catch (FlowFabricException untold) {
            // On a server that may not be asked at all, this one says so.
            return db.query("log_origin_at_checkpoint").one(Whereabouts::of);
        }
    }

    private static Optional<Whereabouts> kept(Jdbc db, String statement) {
        return db.query(statement)
                .one(
                        row ->
                                row.textOrNull("origin") == null
                                        ? Optional.empty()
                                        : Optional.of(Whereabouts.of(row)));
    }

    private void beginEra(Whereabouts here) {
        for (int tried = 1; ; tried++) {
            try {
                beginEraOnce(here);
                return;
            } catch (Contended e) {
                if (tried == TRIES) {
                    throw e;
                }
            }
        }
    }

    /**
     * On a connection without time limits: it waits for all writers of events, and they wait for
     * it.
     */
    private void beginEraOnce(Whereabouts here) {
        try (var loan = db.connect("origin")) {
            var connection = loan.connection();
            connection.setAutoCommit(false);
            beginEra(here, Transaction.of(connection, db.statements()));
            connection.commit();
        } catch (SQLException e) {
            throw Failures.of("The beginning of an era", e, true);
        }
    }

    private void beginEra(Whereabouts here, Transaction tx) {
        var before = kept(tx, "lock_log_origin");
        if (before.equals(Optional.of(here))) {
            // Another engine was faster.
            return;
        }
        boolean elsewhere = before.filter(there -> !there.origin.equals(here.origin)).isPresent();
        if (elsewhere) {
            tx.query("lock_events").run();
        }
        before.ifPresent(
                there ->
                        log.warn(
                                "The log in the schema {} was at {} and is at {}: it was restored"
                                        + " from a copy, or a standby took over. Cursors given out"
                                        + " before are refused.",
                                db.statements().schema(),
                                there,
                                here));
        tx.query("begin_era")
                .set("elsewhere", elsewhere)
                .set("origin", here.origin)
                .set("timeline", here.timeline)
                .set("era", ThreadLocalRandom.current().nextLong(ERAS))
                .update();
    }
}
