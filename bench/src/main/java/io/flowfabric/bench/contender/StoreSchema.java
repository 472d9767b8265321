package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.core.submit.Submissions;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.postgres.SchemaName;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;

/** A schema of the product's store: its tables, filled and looked at from outside. */
final class StoreSchema implements AutoCloseable {
    /** The kind of all work. */
    static final String KIND = "nothing";

    /** What the product sends in one commit unless told otherwise. */
    private static final int CHUNK = 1000;

    /** How many ended executions are stored in one commit. */
    private static final int FILL = 100_000;

    private final SchemaName name;
    private final PostgresStore store;
    private final Connection connection;
    private int stored;
    private int beside;

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
        var store = PostgresStore.open(login.options().withConnections(connections), schema);
        return new StoreSchema(schema, store, login.connect());
    }

    SchemaName name() {
        return name;
    }

    PostgresStore store() {
        return store;
    }

    /** How many executions were stored since it was cleared. */
    int stored() {
        return stored;
    }

    void submit(int executions) {
        submit(store.submissions(), executions);
    }

    /** Submits in chunks, the next one made when the one before is stored. */
    void submit(Submissions submissions, int executions) {
        submit(submissions, executions, nth -> Policy.DEFAULT);
    }

    /** The same, each with a policy of its own. */
    void submit(Submissions submissions, int executions, IntFunction<Policy> policy) {
        for (int left = executions; left > 0; left -= CHUNK) {
            submissions.submit(work(Math.min(left, CHUNK), policy)).forEach(Answer::orThrow);
        }
        stored += executions;
    }

    /** Submits what is not to be done: it waits, and counts neither as stored nor as ready. */
    void submitBeside(Submissions submissions, int executions, Policy policy) {
        int before = stored;
        submit(submissions, executions, nth -> policy);
        stored = before;
        beside += executions;
    }

    private static List<Submission> work(int count, IntFunction<Policy> policy) {
        var work = new ArrayList<Submission>(count);
        for (int i = 0; i < count; i++) {
            work.add(Submission.of(KIND, Payload.EMPTY).policy(policy.apply(i)));
        }
        return work;
    }

    /** Stores executions that have ended; something must have been submitted before. */
    void fill(int executions) throws SQLException {
        try (var fill = connection.prepareStatement(Script.load("fill.sql", name))) {
            for (int left = executions; left > 0; left -= FILL) {
                fill.setInt(1, Math.min(left, FILL));
                fill.execute();
            }
        }
        stored += executions;
    }

    /**
     * How many executions are ready to be claimed, or will be when their delay is over; without
     * those that only wait beside them.
     */
    int ready() throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(Script.load("ready.sql", name))) {
            row.next();
            return row.getInt(1) - beside;
        }
    }

    /**
     * Forgets executions and sessions. Lanes, gates and policies stay: the store remembers them.
     */
    void clear() throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(Script.load("truncate.sql", name));
        }
        stored = 0;
        beside = 0;
    }

    /** Every execution is completed, was claimed once and completed once, and has its result. */
    void verify() throws SQLException {
        try (var statement = connection.createStatement();
                var row = statement.executeQuery(Script.load("verify.sql", name))) {
            row.next();
            int figures = row.getMetaData().getColumnCount();
            for (int i = 1; i <= figures; i++) {
                if (row.getInt(i) != stored) {
                    throw new IllegalStateException(
                            "In %s, %s should be %,d and is %,d."
                                    .formatted(
                                            name,
                                            row.getMetaData().getColumnLabel(i),
                                            stored,
                                            row.getInt(i)));
                }
            }
        }
        if (ready() != 0) {
            throw new IllegalStateException(
                    "In %s, %,d executions are still queued.".formatted(name, ready()));
        }
    }

    @Override
    public void close() {
        store.close();
        Closing.quietly(connection);
    }
}
