package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Acceptance.Known;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.LeaseStanding;
import io.flowfabric.core.decision.LeaseStanding.GivenUp;
import io.flowfabric.core.decision.QueuePlace;
import io.flowfabric.core.decision.StepRecording;
import io.flowfabric.core.decision.SubmittedContent;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.memory.FlowRegistry.FlowPlace;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.stream.Stream;

/** Everything that is stored of one execution. Only {@link ExecutionSteps} changes its state. */
final class MemoryExecution {
    /** Where nothing else says which comes first. */
    static final Comparator<MemoryExecution> BY_ID =
            Comparator.comparing((MemoryExecution row) -> row.id().uuid().toString());

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

    /** Whether an operator gave the last lease, so that the worker need not know of it. */
    boolean leasedByHand;

    /** The quotas that it counts against, while it is held. */
    List<QuotaUse> counted = List.of();

    /** The budgets that it draws on, while it is held. */
    SortedSet<BudgetUse> drawn = Collections.emptySortedSet();

    Optional<Owner> owner = Optional.empty();
    Optional<ExecutionView.Done> progress = Optional.empty();

    /** What was recorded of it, by name, in that order. */
    final Map<String, Step> steps = new LinkedHashMap<>();

    /** What is remembered of its waits. */
    Awaiting awaiting = Awaiting.NOTHING;

    /** The signals that it received, in that order. */
    final List<ReceivedSignal> received = new ArrayList<>();

    /** What was said in its attempts, in those where something was. */
    final Map<Integer, MemoryStream> streams = new HashMap<>();

    /** Which member of which flow it is, if it is one. */
    Optional<FlowPlace> member = Optional.empty();

    Optional<Payload> result = Optional.empty();
    Optional<Failure> failure = Optional.empty();

    /** Who ended it, when it was not its worker. */
    Optional<Attribution> endedBy = Optional.empty();

    /** How the last holder that gave up its lease by itself did so, to answer its repeats. */
    Optional<GivenUp> givenUp = Optional.empty();

    /** Whether what is stored can no longer be read. */
    boolean poisoned;

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

    /** The session that has it, or a grant for it. */
    Optional<SessionId> holder() {
        return switch (state) {
            case Running running -> Optional.of(running.session());
            case Granted granted -> Optional.of(granted.to());
            default -> Optional.empty();
        };
    }

    boolean isHeldBy(SessionId session) {
        return holder().filter(session::equals).isPresent();
    }

    /** What another submission is compared with. */
    Known known() {
        return new Known(
                id(),
                digest,
                poisoned ? Optional.empty() : Optional.of(SubmittedContent.of(submission)),
                state.terminal());
    }

    /** How it stands for a worker whose fence does not hold. */
    LeaseStanding standing() {
        return new LeaseStanding(id(), attempts, epoch, state.publicState(), givenUp);
    }

    /** Where it stands in its lane, while it is ready. */
    QueuePlace place(LaneSettings settings) {
        var next = ((Ready) state).next();
        return QueuePlace.of(settings, priority, submitted, next, round, sequence);
    }

    /** Whether it waits for its first start. */
    boolean fresh() {
        return state instanceof Ready ready && !ready.next().begun();
    }

    /** What decisions depend on. */
    Facts facts() {
        return new Facts(
                id(),
                policy(),
                state,
                priority,
                attempts,
                retries,
                reclaims,
                replays,
                deadline,
                lastProgress(),
                awaiting);
    }

    /** When its worker last reported progress, or recorded a step. */
    private Optional<Instant> lastProgress() {
        return Stream.concat(
                        progress.map(ExecutionView.Done::at).stream(),
                        steps.values().stream().map(Step::recorded))
                .max(Comparator.naturalOrder());
    }

    long stepBytes() {
        return steps.values().stream().mapToLong(Step::bytes).sum();
    }

    /** Gives the steps that there are now to the lease that is held. */
    void leaseHasSteps() {
        lease = lease.map(held -> StepRecording.with(held, List.copyOf(steps.values())));
    }

    /** Gives the lease that is held the members that the execution comes after. */
    void leaseHasUpstreams() {
        member.ifPresent(
                place ->
                        lease =
                                lease.map(
                                        held ->
                                                held.withUpstreams(
                                                        place.flow().upstreams(place.number()))));
    }
}
