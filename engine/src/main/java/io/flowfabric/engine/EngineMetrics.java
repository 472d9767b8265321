package io.flowfabric.engine;

import io.flowfabric.core.Denied;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.store.Maintenance.Chore;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/**
 * What an engine counts. Every method does nothing unless it is overridden, is called from the
 * thread that did the work, and must return at once. One that throws is logged and passed over.
 */
public interface EngineMetrics {
    /** Counts nothing. */
    EngineMetrics NONE = new EngineMetrics() {};

    /** The calls that present fences, and so can be refused because of one. */
    enum FencedCall {
        /** A report of progress. */
        PROGRESS,
        /** A report of usage. */
        SPEND,
        /** A step that is to be recorded. */
        CHECKPOINT,
        /** A waitpoint that is to be opened. */
        OPEN,
        /** A frame that is to be appended. */
        APPEND,
        /** The end of a lease. */
        END,
        /** A heartbeat, which names the fences that its worker believes to hold. */
        HEARTBEAT;

        /** The name of the call in labels and logs: lower case. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** The calls that give out work. */
    enum AdmissionCall {
        /** A claim, which gives leases. */
        CLAIM,
        /** A claim or a reclaim for a worker, which gives grants. */
        GRANT,
        /** A redemption, which turns grants into leases. */
        REDEEM;

        /** The name of the call in labels and logs: lower case. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * A call that gives out work, and how long it took until it was answered, refused or failed.
     *
     * @param session whose call it was; absent when the session could not be found
     * @param wanted how many leases or grants it wanted at most
     */
    record MeasuredCall(AdmissionCall call, Optional<Session> session, int wanted, Duration took) {}

    /** What is counted anew from time to time. */
    enum Counted {
        /** What runs against the quotas. */
        QUOTAS,
        /** What is reserved of the budgets. */
        BUDGETS;

        /** The name in labels and logs: lower case. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** So many executions were created. */
    default void submitted(int count) {}

    /** So many leases were got. */
    default void claimed(int count) {}

    /**
     * A call that gives out work was answered.
     *
     * @param got how many leases or grants it gave
     * @param shut what it found shut
     */
    default void answered(MeasuredCall call, int got, Set<AdmissionBlock> shut) {}

    /** A call that gives out work failed, or was refused: it is not known to have given any. */
    default void callFailed(MeasuredCall call) {}

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

    /** So many checkpoints were answered with a step that was recorded, now or before. */
    default void checkpointed(int count) {}

    /** So many frames were appended, now or before. */
    default void appended(int count) {}

    /** So many fences were refused by a call: another worker has the work, or had it meanwhile. */
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

    /** A feed could not be read for a follower, which reads it again in a moment. */
    default void followFailed() {}

    /**
     * A handler began with a piece of work for the first time.
     *
     * @param waited since its submission, or since the end of the delay that it was submitted with,
     *     by the clocks of the submitter and of the store; nothing when they contradict each other
     */
    default void begun(Lane lane, Duration waited) {}

    /**
     * A handler ran, to whichever end.
     *
     * @param failed whether it threw something
     */
    default void handled(String kind, boolean failed, Duration took) {}

    /** So many more claims are waiting for work now; fewer, when it is negative. */
    default void parked(int change) {}
}
