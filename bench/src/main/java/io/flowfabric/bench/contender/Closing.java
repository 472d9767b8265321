package io.flowfabric.bench.contender;

import java.sql.Connection;
import java.sql.SQLException;

/** The end of connections to a server that is thrown away soon after. */
final class Closing {
    private Closing() {}

    static void quietly(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // The server takes it with it when it stops.
        }
    }
}
