package io.flowfabric.postgres;

import io.flowfabric.postgres.internal.jdbc.UserConnections;
import io.flowfabric.postgres.internal.migration.Migrations;
import io.flowfabric.postgres.internal.migration.Migrator;

import java.util.List;

import javax.sql.DataSource;

/**
 * The tables of a store, apart from the store: for those who want to see what a migration does, run
 * it with another login than the store's, or check what has become of it.
 *
 * <p>{@link PostgresStore#open} migrates by itself. It needs no right to do so when there is
 * nothing to be done.
 */
public final class PostgresSchema {
    private final Migrator.Way way;
    private final SchemaName name;
    private final Migrations migrations;

    private PostgresSchema(Migrator.Way way, SchemaName name, Migrations migrations) {
        this.way = way;
        this.name = name;
        this.migrations = migrations;
    }

    /** A schema of a database, which need not be there yet. */
    public static PostgresSchema of(DatabaseOptions options, SchemaName name) {
        return of(options, name, migrations());
    }

    /** A schema of the database that a DataSource leads to, which need not be there yet. */
    public static PostgresSchema of(DataSource dataSource, SchemaName name) {
        return of(UserConnections.of(dataSource), name);
    }

    static PostgresSchema of(UserConnections connections, SchemaName name) {
        return new PostgresSchema(connections::single, name, migrations());
    }

    /** A schema as another version of this program makes it, for tests. */
    static PostgresSchema of(DatabaseOptions options, SchemaName name, Migrations migrations) {
        return new PostgresSchema(Migrator.Way.of(options), name, migrations);
    }

    SchemaName name() {
        return name;
    }

    private static Migrations migrations() {
        return Migrations.load(PostgresSchema.class, "internal/migration/001_executions.sql");
    }

    /**
     * Makes the schema or brings it up to date.
     *
     * @return the names of the migrations that were applied
     * @throws io.flowfabric.core.Unavailable when the server is too old, the schema too new for
     *     this version, or a migration fails
     */
    public List<String> migrate() {
        return Migrator.migrate(way, name, migrations);
    }

    /**
     * The SQL that {@link #migrate} would run now, as a script for {@code psql}, with the lines
     * that write down what was done; empty when there is nothing to do. Nothing is changed.
     */
    public String script() {
        return Migrator.script(way, name, migrations);
    }

    /**
     * Compares the schema with what its migrations make: tables, columns, constraints, indexes,
     * types and functions. What is there besides is not looked at.
     *
     * <p>It makes a second schema in a transaction that it rolls back, and needs the right to do
     * so.
     *
     * @return what is missing or different, a sentence each; none when all is as it should be
     */
    public List<String> validate() {
        return Migrator.validate(way, name, migrations);
    }
}
