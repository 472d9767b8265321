package io.flowfabric.postgres.internal.migration;

import io.flowfabric.core.Unavailable;
import io.flowfabric.postgres.SchemaName;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The table in which a schema remembers what was applied to it. */
final class MigrationLedger {
    static final String CREATE_SCHEMA = "create schema ${schema}";
    static final String CREATE_LEDGER =
            """
            create table ${schema}.migration (
                number integer primary key,
                name text not null,
                checksum text not null,
                -- the last migration that the oldest programs know that can work with this one
                readable_from integer not null,
                applied_at timestamptz not null default statement_timestamp()
            )\
            """;

    private final Connection connection;
    private final SchemaName schema;

    MigrationLedger(Connection connection, SchemaName schema) {
        this.connection = connection;
        this.schema = schema;
    }

    /** One line: what was applied, with which text, and which programs can read it. */
    private record Line(int number, String name, String checksum, int readableFrom) {
        @Override
        public String toString() {
            return "%03d_%s".formatted(number, name);
        }
    }

    /**
     * How far the database is, after a check that it came there by the migrations we know. It may
     * be further than we are, by migrations that leave it readable for us.
     *
     * @throws Unavailable when it is too new for us, or came there in another way
     */
    int applied(Migrations known) throws SQLException {
        var lines = lines();
        for (int i = 0; i < lines.size(); i++) {
            var problem = problem(lines.get(i), i + 1, known);
            if (problem.isPresent()) {
                throw new Unavailable(problem.get());
            }
        }
        return lines.size();
    }

    /** All that is wrong with what was applied, in sentences. */
    List<String> problems(Migrations known) throws SQLException {
        var problems = new ArrayList<String>();
        var lines = lines();
        for (int i = 0; i < lines.size(); i++) {
            problem(lines.get(i), i + 1, known).ifPresent(problems::add);
        }
        return problems;
    }

    /** How many were applied, whatever they are. */
    int count() throws SQLException {
        return lines().size();
    }

    /** Makes the schema and the table where they are missing. */
    void create() throws SQLException {
        try (var statement = connection.createStatement()) {
            // IF NOT EXISTS would ask for a privilege that is not needed when it exists.
            if (!schemaExists()) {
                statement.execute(schema.fill(CREATE_SCHEMA));
            }
            if (!exists()) {
                statement.execute(schema.fill(CREATE_LEDGER));
            }
        }
    }

    void add(Migration migration) throws SQLException {
        try (var insert = connection.createStatement()) {
            insert.execute(line(migration));
        }
    }

    /** The statement that writes a migration down. Nothing in it needs to be quoted. */
    String line(Migration migration) {
        return schema.fill(
                "insert into ${schema}.migration (number, name, checksum, readable_from)"
                        + " values (%d, '%s', '%s', %d)"
                                .formatted(
                                        migration.number(),
                                        migration.name(),
                                        migration.checksum(),
                                        migration.readableFrom()));
    }

    private Optional<String> problem(Line line, int place, Migrations known) {
        if (line.number() != place) {
            return Optional.of(
                    ("The schema %s lacks migration %d although %d was applied: its table"
                                    + " migration was changed by hand. Restore it.")
                            .formatted(schema, place, line.number()));
        }
        if (line.number() > known.last()) {
            return line.readableFrom() <= known.last()
                    ? Optional.empty()
                    : Optional.of(
                            ("The schema %s is newer than this program: migration %s was applied to"
                                 + " it, which programs can read that know migration %03d, and the"
                                 + " last one known here is %03d. Upgrade this program.")
                                    .formatted(schema, line, line.readableFrom(), known.last()));
        }
        var migration = known.numbered(line.number());
        if (!migration.checksum().equals(line.checksum())) {
            return Optional.of(
                    ("Migration %s was applied to the schema %s with another text than it has here:"
                         + " the program or the database was tampered with, or they are of"
                         + " different builds. Use the program that made the schema, or a new"
                         + " schema.")
                            .formatted(migration, schema));
        }
        return Optional.empty();
    }

    private List<Line> lines() throws SQLException {
        var lines = new ArrayList<Line>();
        if (exists()) {
            var sql =
                    "select number, name, checksum, readable_from from ${schema}.migration"
                            + " order by number";
            try (var select = connection.createStatement();
                    var results = select.executeQuery(schema.fill(sql))) {
                while (results.next()) {
                    lines.add(
                            new Line(
                                    results.getInt(1),
                                    results.getString(2),
                                    results.getString(3),
                                    results.getInt(4)));
                }
            }
        }
        return lines;
    }

    boolean exists() throws SQLException {
        return holds("select to_regclass(?) is not null", schema.fill("${schema}.migration"));
    }

    boolean schemaExists() throws SQLException {
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
