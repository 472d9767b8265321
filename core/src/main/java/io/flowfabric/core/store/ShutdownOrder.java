package io.flowfabric.core.store;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * What a process ends before the servers that it started for itself, when its JVM is told to end.
 *
 * <p>The JVM runs its shutdown hooks all at once. An engine that works on an embedded server says
 * here how it is stopped, and the hook of the server does that first.
 */
public final class ShutdownOrder {
    private static final Set<Runnable> FIRST = ConcurrentHashMap.newKeySet();

    private ShutdownOrder() {}

    /**
     * Registers something that needs the servers of this process until it has ended.
     *
     * @param stop stops it, and returns when it has ended; it may be called more than once, and by
     *     several threads at once
     */
    public static void beforeServers(Runnable stop) {
        FIRST.add(stop);
    }

    /** Takes a registration back; what was never registered is no matter. */
    public static void forget(Runnable stop) {
        FIRST.remove(stop);
    }

    /** Ends everything that needs a server. One that fails does not keep the others. */
    public static void endUsersOfServers() {
        for (var stop : FIRST) {
            try {
                stop.run();
            } catch (RuntimeException | Error failed) {
                // It has ended as far as it can, and says so itself.
            }
        }
    }
}
