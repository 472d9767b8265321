package io.flowfabric.postgres.internal.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/**
 * A statement of ours on its connection, with the settings of its transaction in front of it where
 * a pooler demands that. Both go in one message, and the answer to the settings is passed over.
 */
final class Prepared implements AutoCloseable {
    private final PreparedStatement statement;
    private final boolean settingsFirst;

    private Prepared(PreparedStatement statement, boolean settingsFirst) {
        this.statement = statement;
        this.settingsFirst = settingsFirst;
    }

    /**
     * Prepares a statement.
     *
     * @param settings what is to be set first; empty for nothing
     */
    static Prepared on(Connection connection, String settings, NamedStatement named)
            throws SQLException {
        return new Prepared(
                connection.prepareStatement(
                        settings.isEmpty() ? named.sql() : settings + named.sql()),
                !settings.isEmpty());
    }

    /** The statement underneath, to bind parameters. */
    PreparedStatement statement() {
        return statement;
    }

    ResultSet executeQuery() throws SQLException {
        if (!settingsFirst) {
            return statement.executeQuery();
        }
        execute();
        return statement.getResultSet();
    }

    int executeUpdate() throws SQLException {
        if (!settingsFirst) {
            return statement.executeUpdate();
        }
        execute();
        return statement.getUpdateCount();
    }

    void execute() throws SQLException {
        statement.execute();
        if (settingsFirst) {
            statement.getMoreResults();
        }
    }

    @Override
    public void close() throws SQLException {
        statement.close();
    }
}
