package io.flowfabric.faults;

import io.flowfabric.embedded.EmbeddedRedis;

import java.nio.file.Path;

/** One Redis that is killed and comes back; what it has acknowledged is on the disk. */
final class CrashingRedis implements KillableServer {
    private final EmbeddedRedis server;

    CrashingRedis(Path home) {
        this.server = EmbeddedRedis.start(home, RedisServers.embedded());
    }

    /** The server, for those who look at it. */
    EmbeddedRedis server() {
        return server;
    }

    @Override
    public StoreAddress freshPlace() {
        return StoreAddress.fresh(server);
    }

    @Override
    public int port() {
        return server.port(0);
    }

    @Override
    public void kill() {
        server.kill(0);
    }

    @Override
    public void restart() {
        server.restart(0);
    }

    @Override
    public void close() {
        server.close();
    }
}
