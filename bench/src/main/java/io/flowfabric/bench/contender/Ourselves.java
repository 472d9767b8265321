package io.flowfabric.bench.contender;

import io.flowfabric.bench.server.Login;

import java.sql.SQLException;

/**
 * The product as its users start it: what other systems, and the store underneath, are compared
 * with. How users start it is said here alone.
 */
public final class Ourselves {
    private Ourselves() {}

    /**
     * Opens it.
     *
     * @param key what the ratios call it
     */
    public static Contender open(Login login, int workers, String key) throws SQLException {
        return new EngineDefaults(login, workers, key, "FlowFabric");
    }
}
