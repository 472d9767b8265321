package io.flowfabric.cli.dev;

import io.flowfabric.core.ExecutionId;

import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** The server that a run is on, started for it and stopped with it. */
interface DevServer extends AutoCloseable {
    /** Where it listens on 127.0.0.1. */
    int port();

    /** How the engine and the workers find it. */
    StoreLogin login();

    /**
     * How to look at the data: a command to connect with, and questions that can be pasted there.
     *
     * @param home where the server lives
     * @param run the tag of the run
     * @param example an execution whose history is worth reading
     */
    List<String> directions(Path home, String run, Optional<ExecutionId> example);

    @Override
    void close();
}
