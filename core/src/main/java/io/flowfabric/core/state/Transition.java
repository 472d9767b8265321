package io.flowfabric.core.state;

import static io.flowfabric.core.state.Situation.AWAITING_CHILDREN;
import static io.flowfabric.core.state.Situation.BACKING_OFF;
import static io.flowfabric.core.state.Situation.CANCELLED;
import static io.flowfabric.core.state.Situation.COMPLETED;
import static io.flowfabric.core.state.Situation.DELAYED;
import static io.flowfabric.core.state.Situation.EXPIRED;
import static io.flowfabric.core.state.Situation.FAILED;
import static io.flowfabric.core.state.Situation.GRANTED;
import static io.flowfabric.core.state.Situation.HELD_BY_OPERATOR;
import static io.flowfabric.core.state.Situation.READY;
import static io.flowfabric.core.state.Situation.RESUMING_LATER;
import static io.flowfabric.core.state.Situation.RUNNING;
import static io.flowfabric.core.state.Situation.SKIPPED;
import static io.flowfabric.core.state.Situation.SUSPENDED;

import io.flowfabric.core.Invalid;

import java.util.EnumSet;
import java.util.Locale;
import java.util.Set;

/**
 * The transition table: every step an execution can take, from where and to where.
 *
 * <p>The name of a step is also the name of the method, the statement and the event that performs
 * and records it. A step that is not in this table cannot be taken: what {@code core.decision}
 * decides passes through {@link #check}, and the tests of a store whose statements choose
 * conditionally hold every change that it writes against this table. {@code docs/state-machine.md}
 * is drawn from here.
 */
public enum Transition {
    // Into the store, and out of the queue.
    /** An execution comes into being. */
    SUBMIT(from(), to(READY, DELAYED, AWAITING_CHILDREN)),
    /** The time has come that it waited for. */
    WAKE(from(DELAYED, BACKING_OFF, RESUMING_LATER), to(READY)),
    /** A session takes it. */
    CLAIM(from(READY), to(RUNNING)),
    /** A session takes what another one lost. */
    RECLAIM(from(READY, GRANTED), to(RUNNING)),
    /** A session is given a ticket for it. */
    GRANT(from(READY), to(GRANTED)),
    /** The ticket is turned into a lease. */
    REDEEM(from(GRANTED), to(RUNNING)),
    /** The ticket was not redeemed in time, or was taken back. */
    FORFEIT(from(GRANTED), to(READY)),

    // What the holder of a lease does.
    /** It is done. */
    COMPLETE(from(Shared.LIVE), to(COMPLETED)),
    /** The attempt failed, and another one follows. */
    RETRY(from(RUNNING), to(READY, BACKING_OFF)),
    /** It failed for good. */
    FAIL(from(Shared.LIVE), to(FAILED)),
    /** Its worker lets go of it until a moment. */
    DELAY(from(RUNNING), to(READY, DELAYED)),
    /** Its worker lets go of it at once. */
    RELEASE(from(RUNNING), to(READY)),
    /** Its worker lets go of it until a signal comes; it may have come already. */
    SUSPEND(from(RUNNING), to(SUSPENDED, READY, RESUMING_LATER)),
    /** Its worker lets go of it until its children have ended; they may have ended already. */
    AWAIT(from(RUNNING), to(AWAITING_CHILDREN, READY)),

    // What happens to the holder of a lease.
    /** The session of its lease died. */
    LAPSE(from(RUNNING), to(READY)),
    /** An operator takes it away from its worker. */
    REVOKE(from(RUNNING), to(READY)),

    // What ends a wait, or changes it.
    /** Its time is over, and it waits on for an operator. */
    ESCALATE(from(SUSPENDED), to(SUSPENDED)),
    /** A signal or an operator lifts what held it back. */
    RESUME(
            from(SUSPENDED, HELD_BY_OPERATOR, DELAYED, BACKING_OFF, RESUMING_LATER),
            to(READY, DELAYED, BACKING_OFF, RESUMING_LATER)),
    /** The executions that it waited for have ended. */
    SATISFY(from(AWAITING_CHILDREN), to(READY, DELAYED, BACKING_OFF, RESUMING_LATER)),

    // What may happen to anything that has not ended, and the one way back.
    /** An operator holds it back. */
    PAUSE(
            from(READY, GRANTED, DELAYED, BACKING_OFF, RESUMING_LATER, RUNNING),
            to(HELD_BY_OPERATOR)),
    /** An operator changes its place in the queue. */
    REPRIORITISE(from(Shared.LIVE), to(Shared.SAME)),
    /** It is cancelled. */
    CANCEL(from(Shared.LIVE), to(CANCELLED)),
    /** Its deadline has passed. */
    EXPIRE(from(Shared.LIVE), to(EXPIRED)),
    /** It is not needed any more in its flow. */
    SKIP(from(Shared.LIVE), to(SKIPPED)),
    /** An operator runs it again after its end. */
    REPLAY(from(COMPLETED, FAILED, CANCELLED, EXPIRED, SKIPPED), to(READY, AWAITING_CHILDREN));

    private final Set<Situation> starts;
    private final Set<Situation> ends;

    Transition(Set<Situation> starts, Set<Situation> ends) {
        this.starts = starts;
        this.ends = ends;
    }

    /** Where the step may start; nowhere, for the step that brings an execution into being. */
    public Set<Situation> starts() {
        return starts;
    }

    /** How an execution may begin. */
    public static Set<Situation> begins() {
        return SUBMIT.ends;
    }

    /** Where the step may lead from there. */
    public Set<Situation> endsFrom(Situation start) {
        if (!starts.contains(start)) {
            return Set.of();
        }
        return staysPut() ? Set.of(start) : ends;
    }

    /** Whether the step changes something about the execution, but not its situation. */
    public boolean staysPut() {
        return ends.isEmpty();
    }

    /** Whether the step gives a lease. */
    public boolean givesLease() {
        return ends.contains(RUNNING);
    }

    /** The name as it travels: {@code await}. */
    public String wire() {
        return name().toLowerCase(Locale.ROOT);
    }

    /**
     * Returns where the step leads, after checking that the table has it.
     *
     * @throws Invalid when it does not
     */
    public <S extends ExecutionState> S check(ExecutionState before, S after) {
        check(before.situation(), after.situation());
        return after;
    }

    /**
     * Checks that the table has the step.
     *
     * @throws Invalid when it does not
     */
    public void check(Situation before, Situation after) {
        if (!endsFrom(before).contains(after)) {
            throw new Invalid(
                    Invalid.Code.IMPOSSIBLE_STATE,
                    "transition",
                    "%s does not lead from %s to %s.".formatted(this, before, after));
        }
    }

    /**
     * Returns how an execution begins, after checking that the table has it.
     *
     * @throws Invalid when it does not
     */
    public static <S extends ExecutionState> S begin(S state) {
        if (!SUBMIT.ends.contains(state.situation())) {
            throw new Invalid(
                    Invalid.Code.IMPOSSIBLE_STATE,
                    "transition",
                    "Nothing begins as %s.".formatted(state.situation()));
        }
        return state;
    }

    private static Set<Situation> from(Situation... situations) {
        return Set.of(situations);
    }

    private static Set<Situation> from(Set<Situation> situations) {
        return situations;
    }

    private static Set<Situation> to(Situation... situations) {
        return Set.of(situations);
    }

    private static Set<Situation> to(Set<Situation> situations) {
        return situations;
    }

    /** Sets of situations that several rows of the table share. */
    private static final class Shared {
        static final Set<Situation> LIVE = live();
        static final Set<Situation> SAME = Set.of();

        private static Set<Situation> live() {
            var live = EnumSet.allOf(Situation.class);
            live.removeIf(situation -> situation.terminal() || situation.onlySeen());
            return Set.copyOf(live);
        }
    }
}
