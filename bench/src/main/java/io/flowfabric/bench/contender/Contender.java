package io.flowfabric.bench.contender;

import java.sql.SQLException;
import java.time.Duration;

/** A system that can store a backlog of work that does nothing, and get it done. */
public interface Contender extends AutoCloseable {
    /** What the ratios call it. */
    String key();

    /** What people call it. */
    String name();

    /** Stores so many executions with an input of no bytes, ready to be done at once. */
    void submit(int executions) throws SQLException;

    /** How many executions are ready to be done. */
    int ready() throws SQLException;

    /** Does everything that is stored; the time from the first claim to the last finish. */
    Duration drain() throws SQLException, InterruptedException;

    /**
     * Makes sure that what was submitted since it was cleared is finished, each execution exactly
     * once.
     *
     * @throws IllegalStateException when it is not
     */
    void verify() throws SQLException;

    /** Forgets everything. */
    void clear() throws SQLException;

    @Override
    void close();
}
