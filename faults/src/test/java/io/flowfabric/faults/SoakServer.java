package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.faults.SoakFaults.Fault;

import java.sql.SQLException;
import java.time.Duration;
import java.util.Map;

/** The server of a {@link Soak}: what a store of one kind can show, and what can be done to it. */
interface SoakServer extends KillableServer {
    /** The store on it, for those who submit and judge. */
    Store store();

    /** Where that store is. */
    StoreAddress address();

    /** What is broken in the way of its kind alone. */
    Fault peculiar();

    /**
     * Breaks that. It is no reason to be late.
     *
     * @param length for how long, where that can be chosen
     */
    void breakPeculiarly(Duration length);

    /** Whether a caller can submit as a part of a transaction of its own. */
    boolean hasTransactions();

    /** Submits in a transaction of the caller's, and commits it or not. */
    ExecutionId submitInTransaction(Submission work, boolean commits) throws SQLException;

    /** Looks at it, and asks again for a while when it is away. */
    Look look();

    /**
     * What a server shows of itself, sizes in megabytes.
     *
     * @param memory without the log, where that is in memory
     * @param tables without the log, which is kept for days
     */
    record Look(double memory, long connections, Map<String, Double> tables, double log) {
        static final Look NOTHING = new Look(0, 0, Map.of(), 0);
    }
}
