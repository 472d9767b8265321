package io.flowfabric.core.state;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.state.StateVector.AttemptState;

import java.time.Instant;
import java.util.Optional;

/**
 * What an execution is at one moment.
 *
 * <p>Each alternative carries exactly the data that means something in it, and refuses combinations
 * that cannot be; so an illegal state cannot be built. How one becomes another is {@link
 * Transition}.
 */
public sealed interface ExecutionState {

    /** The row of the state table that this is, without its data. */
    Situation situation();

    /** The state of the current or coming attempt. */
    AttemptState attempt();

    /** The state in six columns. */
    default StateVector vector() {
        return situation().vector(attempt());
    }

    /** The state in one word. */
    default PublicState publicState() {
        return vector().publicState();
    }

    /** Whether the execution has ended. */
    default boolean terminal() {
        return this instanceof Finished;
    }

    /** Not running and not ended: something still has to happen before a worker takes it. */
    sealed interface Queued extends ExecutionState {
        /** What the next lease will be for. */
        LeasePurpose next();

        @Override
        default AttemptState attempt() {
            return next().attempt();
        }
    }

    /** Waiting for a worker or for a time, and for nothing else. */
    sealed interface Waiting extends Queued {
        /** What it is at a moment: a delay that is over by then is none. */
        default Waiting unlessDue(Instant now) {
            return this instanceof Delayed delayed && !delayed.until().isAfter(now)
                    ? new Ready(delayed.next())
                    : this;
        }
    }

    /** Any able worker may take it now. */
    record Ready(LeasePurpose next) implements Waiting {
        @Override
        public Situation situation() {
            return Situation.READY;
        }
    }

    /** It becomes ready at a time. */
    record Delayed(LeasePurpose next, Instant until, DelayedBy by) implements Waiting {
        public Delayed {
            mustFit(by.situation(), next.attempt());
        }

        @Override
        public Situation situation() {
            return by.situation();
        }
    }

    /**
     * Something other than time holds it back.
     *
     * @param detail what exactly, in words
     * @param behind what it becomes once nothing holds it back; its delay is kept
     */
    record Blocked(BlockedBy by, String detail, Waiting behind) implements Queued {
        public Blocked {
            mustFit(by.situation(), behind.attempt());
        }

        @Override
        public LeasePurpose next() {
            return behind.next();
        }

        @Override
        public Situation situation() {
            return by.situation();
        }
    }

    /** A signed ticket for it was handed out, and not yet redeemed. */
    record Granted(LeasePurpose next, SessionId to, Instant until) implements Queued {
        @Override
        public Situation situation() {
            return Situation.GRANTED;
        }
    }

    /** A worker holds its lease, through the session that it names. */
    record Running(SessionId session, Instant since) implements ExecutionState {
        @Override
        public Situation situation() {
            return Situation.RUNNING;
        }

        @Override
        public AttemptState attempt() {
            return AttemptState.RUNNING_ATTEMPT;
        }
    }

    /** Its worker let go of it until a signal, an operator or a timeout wakes it. */
    record Suspended(SuspendedFor reason, Instant since, Optional<Instant> timeoutAt)
            implements ExecutionState {
        @Override
        public Situation situation() {
            return Situation.SUSPENDED;
        }

        @Override
        public StateVector vector() {
            return situation().vector(reason.blockingReason(), attempt());
        }

        @Override
        public AttemptState attempt() {
            return AttemptState.ATTEMPT_INTERRUPTED;
        }
    }

    /**
     * It has ended, and nothing but a replay changes it.
     *
     * @param attempt how the last attempt stands: terminal, or what it was about to be when none
     *     was ever started
     */
    record Finished(Outcome outcome, Instant at, AttemptState attempt) implements ExecutionState {
        public Finished {
            mustFit(outcome.situation(), attempt);
        }

        @Override
        public Situation situation() {
            return outcome.situation();
        }
    }

    private static void mustFit(Situation situation, AttemptState attempt) {
        if (!situation.attempts().contains(attempt)) {
            throw new Invalid(
                    Invalid.Code.IMPOSSIBLE_STATE,
                    "state",
                    "An execution cannot be %s with its attempt %s.".formatted(situation, attempt));
        }
    }
}
