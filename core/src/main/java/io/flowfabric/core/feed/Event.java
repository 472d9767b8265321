package io.flowfabric.core.feed;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Something that happened. */
public sealed interface Event {
    /** When it happened, by the clock of the store. */
    Instant at();

    /** The namespace in which it happened. */
    Namespace namespace();

    /** What it means for a lease, if it touched one. */
    default Optional<LeaseChange> leaseChange() {
        return Optional.empty();
    }

    /**
     * An execution took a step.
     *
     * @param now the situation that the step led to
     * @param attempts how many attempts were started by then
     * @param epoch the newest lease by then
     * @param owner whose lease the step gave or ended, or who was granted or forfeited one; absent
     *     when it touched neither
     * @param by who took the step, when it was not the holder of the lease
     * @param until when it goes on, where the step led to a delay; until when a grant holds
     * @param failure what failed, where something did
     */
    record Step(
            ExecutionId execution,
            Lane lane,
            Transition transition,
            Situation now,
            Instant at,
            int attempts,
            long epoch,
            Optional<Owner> owner,
            Optional<Attribution> by,
            Optional<Instant> until,
            Optional<Failure> failure)
            implements Event {
        @Override
        public Namespace namespace() {
            return lane.namespace();
        }

        @Override
        public Optional<LeaseChange> leaseChange() {
            return owner.flatMap(
                    holder ->
                            switch (transition) {
                                case GRANT, FORFEIT -> Optional.empty();
                                case CLAIM, REDEEM -> Optional.of(LeaseChange.ACQUIRED);
                                case RECLAIM -> Optional.of(LeaseChange.RECLAIMED);
                                case LAPSE -> Optional.of(LeaseChange.EXPIRED);
                                case SUBMIT,
                                        WAKE,
                                        COMPLETE,
                                        RETRY,
                                        FAIL,
                                        DELAY,
                                        RELEASE,
                                        SUSPEND,
                                        ESCALATE,
                                        AWAIT,
                                        REVOKE,
                                        RESUME,
                                        SATISFY,
                                        PAUSE,
                                        REPRIORITISE,
                                        CANCEL,
                                        EXPIRE,
                                        SKIP,
                                        REPLAY ->
                                        Optional.of(ended());
                            });
        }

        /** What ended a lease that did not return to the queue. */
        private LeaseChange ended() {
            if (by.isEmpty()) {
                return LeaseChange.RELEASED;
            }
            // The work failed because its lease was lost, and for no other reason.
            return by.get().equals(Attribution.RECLAIMS_EXHAUSTED)
                    ? LeaseChange.EXPIRED
                    : LeaseChange.REVOKED;
        }
    }

    /**
     * A worker recorded a step of its execution. What it recorded is not told.
     *
     * @param name of the step
     * @param attempt in which it was recorded, from 0
     * @param epoch of the lease under which it was
     */
    record StepRecorded(
            ExecutionId execution, Lane lane, String name, int attempt, long epoch, Instant at)
            implements Event {
        @Override
        public Namespace namespace() {
            return lane.namespace();
        }
    }

    /**
     * An execution received a signal. What the signal said is not told.
     *
     * @param signal its name
     * @param number of the signal, in the order in which its execution received them, from 1
     * @param by who sent it, and why
     */
    record SignalReceived(
            ExecutionId execution,
            Lane lane,
            String waitpoint,
            String signal,
            long number,
            Delivery.Effect effect,
            Attribution by,
            Instant at)
            implements Event {
        @Override
        public Namespace namespace() {
            return lane.namespace();
        }
    }

    /** An operator closed a waitpoint of an execution. */
    record WaitpointClosed(
            ExecutionId execution, Lane lane, String waitpoint, Attribution by, Instant at)
            implements Event {
        @Override
        public Namespace namespace() {
            return lane.namespace();
        }
    }

    /** A session showed a sign of life, and so renewed every lease that it holds. */
    record Renewal(Owner owner, Namespace namespace, Instant at, Instant until) implements Event {
        @Override
        public Optional<LeaseChange> leaseChange() {
            return Optional.of(LeaseChange.RENEWED);
        }
    }

    /** An operator changed how a lane behaves. */
    record LaneChange(Lane lane, LaneSettings settings, Attribution by, Instant at)
            implements Event {
        @Override
        public Namespace namespace() {
            return lane.namespace();
        }
    }

    /** An operator changed how a namespace behaves. */
    record NamespaceChange(
            Namespace namespace, NamespaceSettings settings, Attribution by, Instant at)
            implements Event {}

    /**
     * An operator changed what a quota allows.
     *
     * @param quota what it allows from now on; none when it was deleted
     */
    record QuotaChange(
            Namespace namespace, String name, Optional<Quota> quota, Attribution by, Instant at)
            implements Event {}

    /**
     * An operator changed what a budget allows, or took back what was counted.
     *
     * @param change what was done, in one word: {@code define}, {@code reset}, {@code delete},
     *     {@code refund}
     */
    record BudgetChange(
            Namespace namespace, String budget, String change, Attribution by, Instant at)
            implements Event {}

    /**
     * An operator changed a schedule. What it fires is told by the executions that it submits.
     *
     * @param change what was done, in one word: {@code define}, {@code pause}, {@code resume},
     *     {@code delete}
     */
    record ScheduleChange(
            Namespace namespace, String schedule, String change, Attribution by, Instant at)
            implements Event {}

    /**
     * A limit of a budget was reached.
     *
     * @param hard whether it was the hard one
     */
    record BudgetReached(
            Namespace namespace,
            String budget,
            String dimension,
            boolean hard,
            long used,
            Instant at)
            implements Event {}

    /**
     * A count of what runs was wrong, and was put right: a program wrote past the store, or there
     * is a bug in it.
     *
     * @param of what was counted, in words, such as {@code quota customer=42}
     * @param said what it said
     * @param found what it is, and says now
     */
    record Drifted(Namespace namespace, String of, long said, long found, Instant at)
            implements Event {}

    /** An operator declared a worker process dead; what it held lapses after this. */
    record MarkedDead(Owner owner, Namespace namespace, Attribution by, Instant at)
            implements Event {}

    /** An operator had an execution erased; the events before this one that told of it are gone. */
    record Erased(ExecutionId execution, Lane lane, Attribution by, Instant at) implements Event {
        @Override
        public Namespace namespace() {
            return lane.namespace();
        }
    }

    /**
     * An operator had another key sign from now on. Keys are for all namespaces; this is told in
     * the default one.
     *
     * @param key the name of the new key
     * @param grace how long the key before it is still believed
     */
    record KeyRotation(String key, Duration grace, Attribution by, Instant at) implements Event {
        @Override
        public Namespace namespace() {
            return Namespace.DEFAULT;
        }
    }

    /**
     * Something happened to a flow as a whole.
     *
     * @param kind the kind of the flow
     * @param state what the flow is by then
     * @param by who did it, when a caller did
     */
    record FlowChange(
            FlowId flow,
            Namespace namespace,
            String kind,
            FlowStep step,
            FlowState state,
            Optional<Attribution> by,
            Instant at)
            implements Event {}

    /** What can happen to a flow. */
    enum FlowStep {
        /** It was submitted. */
        SUBMITTED,
        /** Members or edges were added to it, or it was closed. */
        EXTENDED,
        /** It was cancelled; members of it may go on. */
        CANCELLED,
        /** A member of it is done again after its end. */
        REOPENED,
        /** All of its members have ended. */
        ENDED
    }

    /** What can happen to a lease. */
    enum LeaseChange {
        /** A session was given it. */
        ACQUIRED,
        /** A heartbeat of its session renewed it. */
        RENEWED,
        /** Its session died. */
        EXPIRED,
        /** Another session took the work up after it was lost. */
        RECLAIMED,
        /** It was taken away from its session. */
        REVOKED,
        /** Its holder ended it. */
        RELEASED
    }
}
