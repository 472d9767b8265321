package io.flowfabric.postgres.internal.migration;

import io.flowfabric.core.Contended;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.DatabaseOptions;
import io.flowfabric.postgres.SchemaName;
import io.flowfabric.postgres.internal.jdbc.Connections;
import io.flowfabric.postgres.internal.jdbc.Failures;
import io.flowfabric.postgres.internal.jdbc.Loan;

import org.postgresql.util.PSQLException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.StringJoiner;

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
    public static List<String> migrate(Way way, SchemaName schema, Migrations migrations) {
        return on(way, schema, migrations, Migrator::migrate);
    }

    /**
     * What {@link #migrate} would run, as a script for those who run it themselves; empty when the
     * schema is up to date. Nothing is changed.
     *
     * @throws Unavailable as {@link #migrate} does
     */
    public static String script(Way way, SchemaName schema, Migrations migrations) {
        return on(way, schema, migrations, Migrator::script);
    }

    /**
     * How the schema differs from what the migrations make, in sentences; none when it does not.
     * What the database has besides is not looked at. Nothing is changed, but the right to create a
     * schema is needed, for the comparison makes one and takes it back.
     */
    public static List<String> validate(Way way, SchemaName schema, Migrations migrations) {
        return on(way, schema, migrations, Migrator::validate);
    }

    /** How a migration gets to the server. */
    @FunctionalInterface
    public interface Way {
        /** A connection without time limits, until it is closed. */
        Loan single(String purpose);

        /** By connections of our own. */
        static Way of(DatabaseOptions options) {
            return purpose -> Loan.own(Connections.single(options, purpose));
        }
    }

    private interface Work<T> {
        T on(Migrator migrator) throws SQLException;
    }

    private static <T> T on(Way way, SchemaName schema, Migrations migrations, Work<T> work) {
        try (var loan = way.single("migration")) {
            var migrator = new Migrator(loan.connection(), schema, migrations);
            migrator.checkName();
            return work.on(migrator);
        } catch (SQLException e) {
            throw Failures.of("The migration of schema " + schema, e, true);
        }
    }

    private void checkName() throws SQLException {
        if (!ledger.nameIsNoKeyword()) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_NAME,
                    "schema",
                    "\"%s\" is a word of SQL; choose another name.".formatted(schema));
        }
    }

    private String script() throws SQLException {
        int done = ledger.applied(known);
        var script = new StringJoiner("\n\n");
        for (var migration : known.after(done)) {
            script.add("-- " + migration);
            script.add("begin;");
            opening().forEach(statement -> script.add(statement + ";"));
            if (migration.number() == 1) {
                if (!ledger.schemaExists()) {
                    script.add(schema.fill(MigrationLedger.CREATE_SCHEMA) + ";");
                }
                if (!ledger.exists()) {
                    script.add(schema.fill(MigrationLedger.CREATE_LEDGER) + ";");
                }
            }
            script.add(migration.sql(schema).strip());
            script.add(ledger.line(migration) + ";");
            script.add("commit;");
        }
        return script.toString();
    }

    private List<String> validate() throws SQLException {
        var problems = new ArrayList<>(ledger.problems(known));
        int done = ledger.count();
        for (var missing : known.after(done)) {
            problems.add("The migration %s was not applied.".formatted(missing));
        }
        if (done > known.last()) {
            problems.add(
                    ("A newer program has migrated the schema %s: only that one knows what belongs"
                                    + " into it.")
                            .formatted(schema));
        } else if (done > 0) {
            connection.setAutoCommit(false);
            try {
                problems.addAll(new SchemaComparison(connection, schema).with(known.first(done)));
            } finally {
                connection.rollback();
            }
        }
        return problems;
    }

    private List<String> migrate() throws SQLException {
        var applied = new ArrayList<String>();
        // Most starts find everything done, and need neither a lock nor the right to create.
        int done = ledger.applied(known);
        if (done > known.last()) {
            log.info(
                    "The schema {} was migrated by a newer program, and can be read by this one",
                    schema);
        }
        if (done >= known.last()) {
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
                    done >= known.last()
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
            for (var sql : opening()) {
                statement.execute(sql);
            }
        }
    }

    /** How the transaction of a migration begins. */
    private List<String> opening() {
        return List.of(
                "set local lock_timeout = " + PATIENCE.toMillis(),
                "set local statement_timeout = 0",
                // What a migration names without its schema is still ours.
                "set local search_path = " + schema,
                "select pg_advisory_xact_lock(%d, hashtext('%s'))".formatted(LOCK_SPACE, schema));
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
