package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;

import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;

/**
 * A contender that drains while somebody else looks at the database as it was before: what a long
 * report or a backup does. Nothing that is deleted meanwhile can be cleaned away.
 */
public record UnderSnapshot(Contender contender, Login login) implements Contender {

    @Override
    public String key() {
        return contender.key();
    }

    @Override
    public String name() {
        return contender.name();
    }

    @Override
    public void submit(int executions) throws SQLException {
        contender.submit(executions);
    }

    @Override
    public int ready() throws SQLException {
        return contender.ready();
    }

    @Override
    public Duration drain() throws SQLException, InterruptedException {
        try (var reader = login.connect()) {
            reader.setTransactionIsolation(Connection.TRANSACTION_REPEATABLE_READ);
            reader.setAutoCommit(false);
            // The first statement of the transaction takes the snapshot.
            reader.createStatement().execute("select pg_current_snapshot()");
            return contender.drain();
        }
    }

    @Override
    public void verify() throws SQLException {
        contender.verify();
    }

    @Override
    public void clear() throws SQLException {
        contender.clear();
    }

    @Override
    public void close() {
        contender.close();
    }
}
