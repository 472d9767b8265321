package io.flowfabric.postgres;

import org.postgresql.PGConnection;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** All data of one schema brought into another database, as a dump and restore would. */
final class Copy {
    private final SchemaName schema;
    private final Connection from;
    private final Connection to;

    private Copy(SchemaName schema, Connection from, Connection to) {
        this.schema = schema;
        this.from = from;
        this.to = to;
    }

    /**
     * Copies every row and the state of every sequence.
     *
     * @param to where the schema is there already, and what it holds is replaced
     */
    static void all(SchemaName schema, Connection from, Connection to)
            throws SQLException, IOException {
        new Copy(schema, from, to).all();
    }

    private void all() throws SQLException, IOException {
        // The order of tables that refer to each other is of no concern to a restore.
        execute("set session_replication_role = replica");
        var tables =
                names(
                        "select relname from pg_class where relnamespace = '%s'::regnamespace and"
                                + " relkind in ('r', 'p') and not relispartition");
        execute("truncate " + String.join(", ", tables.stream().map(this::qualified).toList()));
        for (var table : tables) {
            copy(table);
        }
        for (var sequence :
                names("select sequencename from pg_sequences where schemaname = '%s'")) {
            execute(
                    "select setval('%s', %s)"
                            .formatted(qualified(sequence), next(qualified(sequence))));
        }
        execute("reset session_replication_role");
    }

    private void copy(String table) throws SQLException, IOException {
        // What is computed from other columns is computed again.
        var columns =
                String.join(
                        ", ",
                        names(
                                "select attname from pg_attribute where attrelid = '%%s.%s'::regclass"
                                                .formatted(table)
                                        + " and attnum > 0 and not attisdropped and attgenerated ="
                                        + " ''"));
        var rows = new ByteArrayOutputStream();
        from.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyOut(
                        "copy (select %s from %s) to stdout".formatted(columns, qualified(table)),
                        rows);
        to.unwrap(PGConnection.class)
                .getCopyAPI()
                .copyIn(
                        "copy %s (%s) from stdin".formatted(qualified(table), columns),
                        new ByteArrayInputStream(rows.toByteArray()));
    }

    /** A value that was not given out yet. */
    private long next(String sequence) throws SQLException {
        try (var statement = from.createStatement();
                var results = statement.executeQuery("select last_value + 1 from " + sequence)) {
            results.next();
            return results.getLong(1);
        }
    }

    private List<String> names(String query) throws SQLException {
        var names = new ArrayList<String>();
        try (var statement = from.createStatement();
                var results = statement.executeQuery(query.formatted(schema.text()))) {
            while (results.next()) {
                names.add(results.getString(1));
            }
        }
        return names;
    }

    private String qualified(String name) {
        return schema.text() + "." + name;
    }

    private void execute(String sql) throws SQLException {
        try (var statement = to.createStatement()) {
            statement.execute(sql);
        }
    }
}
