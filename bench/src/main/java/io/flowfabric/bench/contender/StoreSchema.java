package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Payload;
import io.flowfabric.core.contract.Submission;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.jdbc.SchemaName;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** A schema of the product's store: its tables, filled and looked at from outside. */
final class StoreSchema implements AutoCloseable {
    /** The kind of all work. */
    static final String KIND = "nothing";

    /** What the product sends in one commit unless told otherwise. */
    private static final int CHUNK = 1000;

    private final SchemaName name;
    private final PostgresStore store;
    private final Connection connection;
    private int submitted;

    private StoreSchema(SchemaName name, PostgresStore store, Connection connection) {
        this.name = name;
        this.store = store;
        this.connection = connection;
    }

    /**
     * Opens it, and makes it when it is not there.
     *
     * @param connections how many the store may use at once
     */
    static StoreSchema open(Login login, String name, int connections) throws SQLException {
        var schema = new SchemaName(name);
        var store =
                PostgresStore.open(login.options().withConnections(connections), schema);
        return new StoreSchema(schema, store, login.connect());
    }

    SchemaName name() {
        return name;
    }

    PostgresStore store() {
        return store;
    }

    int submitted() {
        return submitted;
    }

    void submit(int executions) {
        for (int left = executions; left > 0; left -= CHUNK) {
            store.submissions()
                    .submit(submissions(Math.min(left, CHUNK)))
                    .forEach(answer -> answer.orThrow());
        }
        submitted += executions;
    }

    static List<Submission> submissions(int count) {
        var submissions = new ArrayList<Submission>(count);
        for (int i = 0; i < count; i++) {
            submissions.add(Submission.of(KIND, Payload.EMPTY));
        }
        return submissions;
    }

    /** Forgets executions and sessions. Lanes, gates and terms stay: the store remembers them. */
    void clear() throws SQLException {
        run("truncate.sql");
        submitted = 0;
    }

    /** Every execution is completed, was claimed once and completed once, and has its result. */
    void verify() throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(Script.load("verify.sql", name))) {
            row.next();
            for (var figure :
                    List.of("completed", "stored", "claims", "completions", "distinct_completions",
                            "results", "kept")) {
                expect(figure, submitted, row.getInt(figure));
            }
            expect("ready", 0, row.getInt("ready"));
        }
    }

    private void expect(String figure, int expected, int actual) {
        if (actual != expected) {
            throw new IllegalStateException(
                    "In %s, %s should be %,d and is %,d."
                            .formatted(name, figure, expected, actual));
        }
    }

    private void run(String script) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(Script.load(script, name));
        }
    }

    @Override
    public void close() {
        store.close();
        Closing.quietly(connection);
    }
}
