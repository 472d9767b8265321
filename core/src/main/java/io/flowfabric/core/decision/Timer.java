package io.flowfabric.core.decision;

import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;

import java.time.Instant;
import java.util.Optional;

/**
 * What time does to an execution: when each timer of it is due, and which step that is. A store
 * looks for them in this order, so that what has expired is not also timed out.
 */
public enum Timer {
    /** The execution expires. */
    DEADLINE {
        @Override
        public Optional<Instant> due(Facts facts) {
            return facts.state().terminal() ? Optional.empty() : facts.deadline();
        }

        @Override
        public Change ring(Facts facts, Instant now) {
            return TimerDecisions.expire(facts, now);
        }
    },
    /** The lease has lasted too long. */
    ATTEMPT {
        @Override
        public Optional<Instant> due(Facts facts) {
            return facts.state() instanceof Running running
                    ? facts.policy().attemptDue(running.since())
                    : Optional.empty();
        }

        @Override
        public Change ring(Facts facts, Instant now) {
            return TimerDecisions.timeOut(facts, now);
        }
    },
    /** The worker has been silent for too long. */
    STALL {
        @Override
        public Optional<Instant> due(Facts facts) {
            return facts.state() instanceof Running running
                    ? facts.policy()
                            .stallDue(
                                    facts.lastProgress()
                                            .filter(running.since()::isBefore)
                                            .orElse(running.since()))
                    : Optional.empty();
        }

        @Override
        public Change ring(Facts facts, Instant now) {
            return TimerDecisions.stall(facts, now);
        }
    },
    /** The delay is over. */
    WAKE {
        @Override
        public Optional<Instant> due(Facts facts) {
            return facts.state() instanceof Delayed delayed
                    ? Optional.of(delayed.until())
                    : Optional.empty();
        }

        @Override
        public Change ring(Facts facts, Instant now) {
            return TimerDecisions.wake(facts);
        }
    },
    /** The time of its suspension is over. */
    SUSPENSION {
        @Override
        public Optional<Instant> due(Facts facts) {
            return facts.state() instanceof Suspended suspended
                    ? suspended.timeoutAt()
                    : Optional.empty();
        }

        @Override
        public Change ring(Facts facts, Instant now) {
            return WaitDecisions.timeOut(facts, now);
        }
    },
    /** The grant was not redeemed in time. */
    GRANT {
        @Override
        public Optional<Instant> due(Facts facts) {
            return facts.state() instanceof Granted granted
                    ? Optional.of(granted.until())
                    : Optional.empty();
        }

        @Override
        public Change ring(Facts facts, Instant now) {
            return TimerDecisions.forfeit(facts);
        }
    };

    /** When it is due for an execution as it is now; nothing when there is no such timer. */
    public abstract Optional<Instant> due(Facts facts);

    /** The step that an execution takes for which it is due. */
    public abstract Change ring(Facts facts, Instant now);
}
