package io.flowfabric.postgres.internal.migration;

import io.flowfabric.postgres.SchemaName;
import io.flowfabric.postgres.internal.jdbc.Statements;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What is in a schema, beside what its migrations make: they make it once more, in a schema of
 * their own, and both are described by the server in the same words.
 */
final class SchemaComparison {
    private static final String OBJECTS =
            Statements.resource(SchemaComparison.class, "objects.sql");

    private final Connection connection;
    private final SchemaName schema;

    /**
     * A comparison.
     *
     * @param connection in a transaction that the caller rolls back
     */
    SchemaComparison(Connection connection, SchemaName schema) {
        this.connection = connection;
        this.schema = schema;
    }

    /** What is missing or other than these migrations make it. */
    List<String> with(List<Migration> migrations) throws SQLException {
        var own = new SchemaName("expected_" + UUID.randomUUID().toString().replace('-', '_'));
        execute("create schema " + own);
        execute("set local search_path = " + own);
        for (var migration : migrations) {
            execute(migration.sql(own));
        }
        // Every name is then told with its schema.
        execute("set local search_path = ''");
        var expected = objects(own);
        var found = objects(schema);
        var problems = new ArrayList<String>();
        expected.forEach(
                (name, definition) -> {
                    var there = found.get(name);
                    if (there == null) {
                        problems.add("The %s is missing.".formatted(name));
                    } else if (!there.equals(definition)) {
                        problems.add(
                                "The %s is \"%s\" instead of \"%s\"."
                                        .formatted(name, there, definition));
                    }
                });
        return problems;
    }

    private void execute(String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.setEscapeProcessing(false);
            statement.execute(sql);
        }
    }

    /** Names, with what each is, and definitions in which the schema has no name. */
    private Map<String, String> objects(SchemaName in) throws SQLException {
        var objects = new LinkedHashMap<String, String>();
        try (var select = connection.prepareStatement(OBJECTS)) {
            select.setString(1, in.text());
            try (var results = select.executeQuery()) {
                while (results.next()) {
                    objects.put(
                            results.getString("kind") + " " + results.getString("name"),
                            results.getString("definition").replace(in + ".", ""));
                }
            }
        }
        return objects;
    }
}
