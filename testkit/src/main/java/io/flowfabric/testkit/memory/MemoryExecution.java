package io.flowfabric.testkit.memory;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.LeaseLost;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;

/** Everything that is stored of one execution. Only {@link MemoryState} changes its state. */
final class MemoryExecution {
    final Submission submission;
    final Digest digest;
    final long sequence;
    final Instant submitted;

    ExecutionState state;
    int priority;

    /** Its round, while it waits for its first start in a lane where keys share; 0 otherwise. */
    long round;

    int attempts;
    long epoch;
    int retries;
    int reclaims;
    int replays;
    Optional<Instant> deadline;
    Instant changed;

    /** When a grant for it was last given out. */
    Instant granted = Instant.EPOCH;

    /** The lease that is held, while it is. */
    Optional<Lease> lease = Optional.empty();

    /** The quotas that it counts against, while it is held. */
    List<QuotaUse> counted = List.of();

    /** The budgets that it draws on, while it is held. */
    SortedSet<BudgetUse> drawn = Collections.emptySortedSet();

    Optional<Owner> owner = Optional.empty();
    Optional<ExecutionView.Done> progress = Optional.empty();
    Optional<Payload> result = Optional.empty();
    Optional<Failure> failure = Optional.empty();

    /** How the last holder that gave up its lease by itself did so, to answer its repeats. */
    Optional<GivenUp> givenUp = Optional.empty();

    /** Whether what is stored can no longer be read. */
    boolean poisoned;

    /** The ending of the lease of one epoch, and the answer that it got. */
    record GivenUp(Fence fence, Digest digest, Ended answer) {}

    MemoryExecution(
            Submission submission,
            Digest digest,
            long sequence,
            ExecutionState state,
            Instant now) {
        this.submission = submission;
        this.digest = digest;
        this.sequence = sequence;
        this.state = state;
        this.submitted = now;
        this.changed = now;
        this.priority = submission.policy().priority();
        this.deadline = submission.policy().deadlineFrom(now);
    }

    ExecutionId id() {
        return submission.id();
    }

    Lane lane() {
        return submission.lane();
    }

    Policy policy() {
        return submission.policy();
    }

    boolean live() {
        return !state.terminal();
    }

    boolean pastDeadline(Instant now) {
        return deadline.filter(at -> !at.isAfter(now)).isPresent();
    }

    /** When the lease has lasted too long. */
    Optional<Instant> attemptDue() {
        return state instanceof Running running
                ? policy().attemptDue(running.since())
                : Optional.empty();
    }

    /** When the silence of the worker has lasted too long. */
    Optional<Instant> stallDue() {
        return state instanceof Running running
                ? policy().stallDue(
                                progress.map(ExecutionView.Done::at)
                                        .filter(running.since()::isBefore)
                                        .orElse(running.since()))
                : Optional.empty();
    }

    /** When the delay is over. */
    Optional<Instant> wakeDue() {
        return state instanceof Delayed delayed ? Optional.of(delayed.until()) : Optional.empty();
    }

    /** When the grant is over. */
    Optional<Instant> grantDue() {
        return state instanceof Granted granted ? Optional.of(granted.until()) : Optional.empty();
    }

    LeaseLost leaseLost(Fence presented) {
        return new LeaseLost(presented, attempts, epoch, state.publicState());
    }

    /** What decisions depend on. */
    Facts facts() {
        return new Facts(id(), policy(), state, priority, attempts, retries, reclaims, replays);
    }
}
