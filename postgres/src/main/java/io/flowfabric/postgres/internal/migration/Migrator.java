package io.flowfabric.postgres.internal.migration;

import io.flowfabric.core.Contended;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.postgres.internal.jdbc.Connections;
import io.flowfabric.postgres.internal.jdbc.Failures;

import org.postgresql.util.PSQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * Applies the migrations that a schema lacks, forward only.
 *
 * <p>Each is one transaction that takes the lock, looks again what is missing, applies the next one
 * and writes it down. So every migration is applied by exactly one of many that start at once, and
 * one that fails leaves nothing behind. The lock belongs to the transaction and not to the session:
 * it cannot be left behind, and a pooler in between does no harm.
 */
public final class Migrator {
    private static final Logger log = LoggerFactory.getLogger(Migrator.class);

    /** How long to wait for somebody else's migration. */
    private static final Duration PATIENCE = Duration.ofMinutes(1);

    /** The first half of the advisory lock's key, ours among those of others. */
    private static final int LOCK_SPACE = 0x464C4F57;

    private static final String LOCK_TIMEOUT = "55P03";

    private final Connection connection;
    private final SchemaName schema;
    private final Migrations known;
    private final MigrationLedger ledger;

    private Migrator(Connection connection, SchemaName schema, Migrations known) {
        this.connection = connection;
        this.schema = schema;
        this.known = known;
        this.ledger = new MigrationLedger(connection, schema);
    }

    /**
     * Brings the schema up to date, and makes it when it is not there.
     *
     * @return the names of the migrations that this call applied; none when it was up to date
     * @throws Unavailable when the database is too old, the schema is newer than the code or was
     *     made by other migrations, or a migration fails
     * @throws Contended when somebody else migrates for too long
     */
    public static List<String> migrate(
            DatabaseOptions options, SchemaName schema, Migrations migrations) {
        try (var connection = Connections.single(options, "migration")) {
            return new Migrator(connection, schema, migrations).migrate();
        } catch (SQLException e) {
            throw Failures.of("The migration of schema " + schema, e, true);
        }
    }

    private List<String> migrate() throws SQLException {
        if (!ledger.nameIsNoKeyword()) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_NAME,
                    "schema",
                    "\"%s\" is a word of SQL; choose another name.".formatted(schema));
        }
        var applied = new ArrayList<String>();
        // Most starts find everything done, and need neither a lock nor the right to create.
        if (ledger.applied(known) == known.last()) {
            return applied;
        }
        connection.setAutoCommit(false);
        for (var next = applyNext(); next.isPresent(); next = applyNext()) {
            log.info("Applied migration {} to the schema {}", next.get(), schema);
            applied.add(next.get().toString());
        }
        return applied;
    }

    private Optional<Migration> applyNext() throws SQLException {
        try {
            lock();
            ledger.create();
            int done = ledger.applied(known);
            Optional<Migration> next =
                    done == known.last()
                            ? Optional.empty()
                            : Optional.of(apply(known.numbered(done + 1)));
            connection.commit();
            return next;
        } catch (SQLException | RuntimeException e) {
            rollBack(e);
            throw e;
        }
    }

    private void rollBack(Exception reason) {
        try {
            connection.rollback();
        } catch (SQLException e) {
            // Without its connection the transaction is rolled back by the server.
            reason.addSuppressed(e);
        }
    }

    private void lock() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute("set local lock_timeout = " + PATIENCE.toMillis());
            statement.execute("set local statement_timeout = 0");
            // What a migration names without its schema is still ours.
            statement.execute("set local search_path = " + schema);
            statement.execute(
                    "select pg_advisory_xact_lock(%d, hashtext('%s'))"
                            .formatted(LOCK_SPACE, schema));
        }
    }

    private Migration apply(Migration migration) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(migration.sql(schema));
        } catch (PSQLException e) {
            var message = e.getServerErrorMessage();
            if (message == null || LOCK_TIMEOUT.equals(message.getSQLState())) {
                throw e;
            }
            var failed =
                    new Unavailable(
                            "Migration %s failed, and nothing of it was kept: %s"
                                    .formatted(migration, e.getMessage()));
            failed.initCause(e);
            throw failed;
        }
        ledger.add(migration);
        return migration;
    }
}
