package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.faults.SoakFaults.Fault;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Set;
import java.util.TreeMap;

/** The durable Redis of a {@link Soak}: one node. */
final class SoakRedis implements SoakServer {
    private static final double MEGABYTE = 1 << 20;

    /** The keys of the log, and of the sessions that it names. */
    private static final Set<String> LOG = Set.of("log", "history", "told", "session", "worker");

    /** Of how many fields of a large key the size is looked at. */
    private static final String SAMPLES = "5000";

    private final CrashingRedis redis;
    private final StoreAddress address;
    private final Store store;

    SoakRedis(Path home) {
        this.redis = new CrashingRedis(home);
        this.address = redis.freshPlace();
        this.store = address.open();
    }

    @Override
    public Store store() {
        return store;
    }

    @Override
    public StoreAddress address() {
        return address;
    }

    @Override
    public StoreAddress freshPlace() {
        return redis.freshPlace();
    }

    @Override
    public int port() {
        return redis.port();
    }

    @Override
    public void kill() {
        redis.kill();
    }

    @Override
    public void restart() {
        redis.restart();
    }

    @Override
    public Fault peculiar() {
        return Fault.FUNCTIONS_FLUSHED;
    }

    @Override
    public void breakPeculiarly(Duration length) {
        try {
            redis.server().ask(0, "FUNCTION", "FLUSH");
        } catch (Unavailable e) {
            // The server was broken, too.
        }
    }

    @Override
    public boolean hasTransactions() {
        return false;
    }

    @Override
    public ExecutionId submitInTransaction(Submission work, boolean commits) {
        throw new UnsupportedOperationException("Redis has no transactions of a caller's own.");
    }

    @Override
    public Look look() {
        for (int tries = 0; tries < 20; tries++) {
            try {
                return lookOnce();
            } catch (Unavailable e) {
                Waiting.pause(Duration.ofMillis(500));
            }
        }
        return Look.NOTHING;
    }

    private Look lookOnce() {
        var server = redis.server();
        var sizes = new TreeMap<String, Double>();
        for (var key : server.ask(0, "KEYS", address.place() + "*").lines().toList()) {
            var size = server.ask(0, "MEMORY", "USAGE", key, "SAMPLES", SAMPLES);
            var name = key.substring(key.lastIndexOf(':') + 1);
            sizes.merge(name, Double.parseDouble("0" + size) / MEGABYTE, Double::sum);
        }
        double log = LOG.stream().mapToDouble(name -> sizes.getOrDefault(name, 0.0)).sum();
        sizes.keySet().removeAll(LOG);
        double memory = Double.parseDouble(RedisServers.info(server, 0, "used_memory")) / MEGABYTE;
        long connections = Long.parseLong(RedisServers.info(server, 0, "connected_clients"));
        return new Look(Math.max(0, memory - log), connections, sizes, log);
    }

    @Override
    public void close() {
        store.close();
        redis.close();
    }
}
