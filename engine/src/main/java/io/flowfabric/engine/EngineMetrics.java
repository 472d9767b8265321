package io.flowfabric.engine;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.lease.Claimed;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;

import java.time.Duration;
import java.util.Locale;

/**
 * What an engine counts. Every method does nothing unless it is overridden, is called from the
 * thread that did the work, and must return at once. One that throws is logged and passed over.
 */
public interface EngineMetrics {
    /** Counts nothing. */
    EngineMetrics NONE = new EngineMetrics() {};

    /** The calls that present fences, and so can be refused because of one. */
    enum FencedCall {
        PROGRESS,
        SPEND,
        END,
        HEARTBEAT;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** What is counted anew from time to time. */
    enum Counted {
        QUOTAS,
        BUDGETS;

        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** So many executions were created. */
    default void submitted(int count) {}

    /** So many leases were got. */
    default void claimed(int count) {}

    /**
     * A claim was answered.
     *
     * @param wanted how many leases it wanted at most
     * @param claimed what it got, and what it found shut
     */
    default void answered(Session session, int wanted, Claimed claimed, Duration took) {}

    /** A claim failed, or was refused: nothing is known to have been given to it. */
    default void claimFailed(Session session, Duration took) {}

    /** So many executions were granted. */
    default void granted(int count) {}

    /** So many grants became leases. */
    default void redeemed(int count) {}

    /** A ticket was refused. */
    default void ticketRefused(Denied.Code code) {}

    /** So many leases were given up by their holder, in this way. */
    default void ended(Transition transition, int count) {}

    /** So many leases of a lane were given up by a worker of this process, in this way. */
    default void attempted(Lane lane, Transition transition, int count) {}

    /** So many fences were refused by a call: another session has the work, or had it meanwhile. */
    default void fenced(FencedCall call, int count) {}

    /** A heartbeat, which renews every lease of its session, was acknowledged, or it was not. */
    default void renewed(boolean acknowledged) {}

    /** A worker would have claimed, and all its slots were taken. */
    default void atCapacity() {}

    /** A session of this process died. */
    default void sessionDied() {}

    /**
     * A report of what was used up came back with a limit of its budget reached.
     *
     * @param hard whether it was the hard one
     */
    default void overLimit(String dimension, boolean hard) {}

    /** A round of a chore was done. */
    default void swept(Chore chore, int processed, Duration took) {}

    /** So many rounds of a chore failed, or items of it had to be passed over. */
    default void sweepErrors(Chore chore, int count) {}

    /**
     * Something was counted anew, everywhere.
     *
     * @param counters how many counters were looked at
     * @param drift by how much they were wrong, all together
     */
    default void recounted(Counted what, int counters, long drift) {}

    /** Something could not be counted anew, in one namespace. */
    default void recountFailed(Counted what) {}

    /** So many more claims are waiting for work now; fewer, when it is negative. */
    default void parked(int change) {}
}
