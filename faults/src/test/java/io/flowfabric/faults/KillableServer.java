package io.flowfabric.faults;

/** A durable server that is killed, and comes back at the same address with what it had. */
interface KillableServer extends AutoCloseable {
    /** A place on it for a store that nothing else uses. */
    StoreAddress freshPlace();

    int port();

    /** Ends it at once, without a chance to write anything. */
    void kill();

    /** Starts it again, where it was; one that runs is stopped in good order before. */
    void restart();

    @Override
    void close();
}
