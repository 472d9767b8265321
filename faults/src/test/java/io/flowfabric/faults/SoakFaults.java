package io.flowfabric.faults;

import io.flowfabric.testkit.history.Faults;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** What is broken during a {@link Soak}, and how often it was. */
final class SoakFaults {
    /** What can be broken. */
    enum Fault {
        WORKER_KILLED,
        WORKER_FROZEN,
        CONNECTIONS_CUT,
        ENGINE_KILLED,
        /** Of Postgres alone. */
        SNAPSHOT_HELD,
        /** Of Redis alone. */
        FUNCTIONS_FLUSHED,
        SERVER_RESTARTED,
        SERVER_KILLED
    }

    /** How long it takes until everyone has found the server again. */
    private static final Duration RECOVERY = Duration.ofSeconds(6);

    private static final Duration LONGER_THAN_IT_LIVES = SoakFleet.TTL.plusMillis(1500);

    private final SoakServer server;
    private final CuttingProxy proxy;
    private final SoakFleet fleet;
    private final Faults faults;
    private final Random random;
    private final Map<Fault, Integer> counts = new TreeMap<>();

    SoakFaults(
            SoakServer server, CuttingProxy proxy, SoakFleet fleet, Faults faults, Random random) {
        this.server = server;
        this.proxy = proxy;
        this.fleet = fleet;
        this.faults = faults;
        this.random = random;
    }

    /**
     * Breaks something, and returns when it is mended as far as that is for us to do.
     *
     * @param length for how long, where that can be chosen
     */
    void inject(Fault fault, Duration length) {
        synchronized (counts) {
            counts.merge(fault, 1, Integer::sum);
        }
        switch (fault) {
            case WORKER_KILLED -> replace(fleet.aWorker(random));
            case ENGINE_KILLED -> replace(fleet.anEngine(random));
            case WORKER_FROZEN -> freeze(fleet.aWorker(random));
            case CONNECTIONS_CUT -> everywhere(proxy::cut);
            case SNAPSHOT_HELD, FUNCTIONS_FLUSHED -> server.breakPeculiarly(length);
            case SERVER_RESTARTED -> everywhere(server::restart);
            case SERVER_KILLED ->
                    everywhere(
                            () -> {
                                server.kill();
                                server.restart();
                            });
        }
    }

    private void replace(SoakProcess process) {
        // It never comes back, so that its name is broken for ever.
        faults.at(process.name(), Instant.now());
        fleet.replace(process);
    }

    private void freeze(SoakProcess process) {
        var fault = faults.at(process.name(), Instant.now());
        process.freeze();
        Waiting.pause(LONGER_THAN_IT_LIVES);
        process.thaw();
        fault.over(Instant.now().plus(RECOVERY));
    }

    private void everywhere(Runnable breaking) {
        var fault = faults.everywhere(Instant.now());
        breaking.run();
        fault.over(Instant.now().plus(RECOVERY));
    }

    /** How often each was. */
    Map<Fault, Integer> counts() {
        synchronized (counts) {
            return new TreeMap<>(counts);
        }
    }

    int kills() {
        var all = counts();
        return all.getOrDefault(Fault.WORKER_KILLED, 0)
                + all.getOrDefault(Fault.ENGINE_KILLED, 0)
                + all.getOrDefault(Fault.SERVER_KILLED, 0);
    }
}
