package io.flowfabric.postgres.internal.migration;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.SchemaName;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** The table in which a schema remembers what was applied to it. */
final class MigrationLedger {
    private final Connection connection;
    private final SchemaName schema;

    MigrationLedger(Connection connection, SchemaName schema) {
        this.connection = connection;
        this.schema = schema;
    }

    /** One line: what was applied, and with which text. */
    private record Line(int number, String name, String checksum) {}

    /**
     * How far the database is, after a check that it came there by the migrations we know.
     *
     * @throws Unavailable when it is newer than we are, or came there in another way
     */
    int applied(Migrations known) throws SQLException {
        var lines = lines();
        for (int i = 0; i < lines.size(); i++) {
            check(lines.get(i), i + 1, known);
        }
        return lines.size();
    }

    /** Makes the schema and the table where they are missing. */
    void create() throws SQLException {
        try (var statement = connection.createStatement()) {
            // IF NOT EXISTS would ask for a privilege that is not needed when it exists.
            if (!schemaExists()) {
                statement.execute(schema.fill("create schema ${schema}"));
            }
            if (!exists()) {
                statement.execute(
                        schema.fill(
                                """
                                create table ${schema}.migration (
                                    number integer primary key,
                                    name text not null,
                                    checksum text not null,
                                    applied_at timestamptz not null default statement_timestamp()
                                )
                                """));
            }
        }
    }

    void add(Migration migration) throws SQLException {
        var sql = "insert into ${schema}.migration (number, name, checksum) values (?, ?, ?)";
        try (var insert = connection.prepareStatement(schema.fill(sql))) {
            insert.setInt(1, migration.number());
            insert.setString(2, migration.name());
            insert.setString(3, migration.checksum());
            insert.executeUpdate();
        }
    }

    private void check(Line line, int place, Migrations known) {
        if (line.number() != place) {
            throw new Unavailable(
                    ("The schema %s lacks migration %d although %d was applied: its table"
                                    + " migration was changed by hand. Restore it.")
                            .formatted(schema, place, line.number()));
        }
        if (line.number() > known.last()) {
            throw new Unavailable(
                    ("The schema %s is newer than this program: migration %03d_%s was applied to"
                         + " it, and the last one known here is %03d. Upgrade this program.")
                            .formatted(schema, line.number(), line.name(), known.last()));
        }
        var migration = known.numbered(line.number());
        if (!migration.checksum().equals(line.checksum())) {
            throw new Unavailable(
                    ("Migration %s was applied to the schema %s with another text than it has here:"
                         + " the program or the database was tampered with, or they are of"
                         + " different builds. Use the program that made the schema, or a new"
                         + " schema.")
                            .formatted(migration, schema));
        }
    }

    private List<Line> lines() throws SQLException {
        var lines = new ArrayList<Line>();
        if (exists()) {
            var sql = "select number, name, checksum from ${schema}.migration order by number";
            try (var select = connection.createStatement();
                    var results = select.executeQuery(schema.fill(sql))) {
                while (results.next()) {
                    lines.add(
                            new Line(
                                    results.getInt(1), results.getString(2), results.getString(3)));
                }
            }
        }
        return lines;
    }

    private boolean exists() throws SQLException {
        return holds("select to_regclass(?) is not null", schema.fill("${schema}.migration"));
    }

    private boolean schemaExists() throws SQLException {
        return holds("select to_regnamespace(?) is not null", schema.text());
    }

    /** Whether the name can stand in SQL without quotes, as it does in every statement of ours. */
    boolean nameIsNoKeyword() throws SQLException {
        return holds("select quote_ident(?) = '" + schema + "'", schema.text());
    }

    private boolean holds(String question, String name) throws SQLException {
        try (var select = connection.prepareStatement(question)) {
            select.setString(1, name);
            try (var results = select.executeQuery()) {
                return results.next() && results.getBoolean(1);
            }
        }
    }
}
