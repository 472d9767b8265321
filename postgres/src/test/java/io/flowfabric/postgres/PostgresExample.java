package io.flowfabric.postgres;

import java.io.PrintStream;

import javax.sql.DataSource;

/** The code that docs/postgres.md shows; {@link PostgresPageTest} compares, and runs some of it. */
final class PostgresExample {
    private PostgresExample() {}

    // [PAGE
    static PostgresStore open(String password) {
        var url = "jdbc:postgresql://db.example.org:5432/shop";
        var options = DatabaseOptions.of(url, "flowfabric", password).withConnections(12);
        return PostgresStore.open(options, new SchemaName("jobs"));
    }

    // PAGE]

    // [PAGE
    static PostgresStore open(DataSource pool) {
        return PostgresStore.open(pool, new SchemaName("jobs"));
    }

    // PAGE]

    // [PAGE
    static void upgrade(DatabaseOptions options, SchemaName name, PrintStream out) {
        var schema = PostgresSchema.of(options, name);
        out.println(schema.script()); // what migrate() would run now; nothing when up to date
        schema.migrate(); // runs it, beside others who do the same
        schema.validate().forEach(out::println); // what is missing or different
    }

    // PAGE]

    // [PAGE
    static DatabaseOptions aroundThePooler(String password) {
        return DatabaseOptions.of("jdbc:postgresql://pooler:6432/shop", "flowfabric", password)
                .withDirectUrl("jdbc:postgresql://db:5432/shop");
    }

    // PAGE]
}
