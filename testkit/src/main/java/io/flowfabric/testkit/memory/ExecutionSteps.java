package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.decision.Acceptance;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * The steps by which an execution changes, from its submission until it is erased.
 *
 * <p>Each step is checked against the transition table, logged, and complete in itself: its caller
 * has validated everything before.
 */
final class ExecutionSteps {
    private final MemoryState world;

    ExecutionSteps(MemoryState world) {
        this.world = world;
    }

    MemoryExecution submit(Submission submission, Digest digest) {
        return submit(submission, digest, Acceptance.begin(submission.policy(), world.now()));
    }

    /**
     * Submits something.
     *
     * @param begin how it begins: a member of a flow may have to wait for others
     */
    MemoryExecution submit(Submission submission, Digest digest, Queued begin) {
        world.lanes.register(submission.lane(), submission.creator(), world.now());
        var row = world.executions.add(submission, digest, begin, world.now());
        world.shares.changed(row);
        log(row, Transition.SUBMIT, Optional.empty(), Optional.empty(), Optional.empty());
        return row;
    }

    /**
     * Gives out a lease for a row.
     *
     * @param by the operator who gives it, if the worker did not ask for it
     */
    Lease lease(MemoryExecution row, SessionRecord living, Optional<Attribution> by) {
        var next = ((Ready) row.state).next();
        admit(row, next);
        return lease(row, living, next, next.claim(), by);
    }

    /** Grants a row, which counts like a lease from now on. */
    void grant(MemoryExecution row, SessionRecord living, Instant until) {
        var next = ((Ready) row.state).next();
        admit(row, next);
        row.epoch = world.nextEpoch(row);
        row.granted = world.now();
        row.owner = Optional.of(living.owner());
        change(row, Transition.GRANT, new Granted(next, living.session.id(), until));
        log(row, Transition.GRANT, row.owner, Optional.empty(), Optional.empty());
    }

    /** Turns a grant into a lease. */
    Lease redeem(MemoryExecution row, SessionRecord living) {
        var next = ((Granted) row.state).next();
        return lease(row, living, next, next.redeem(), Optional.empty());
    }

    /**
     * Writes a decided change: the one way in which a state changes without a lease being given.
     */
    void apply(MemoryExecution row, Change change) {
        var stays = change.transition().staysPut();
        var touched = row.state instanceof Running || change.transition() == Transition.FORFEIT;
        var owner = stays || !touched ? Optional.<Owner>empty() : row.owner;
        if (!stays && row.holder().isPresent()) {
            giveBack(row);
        }
        boolean taken = change.by().isPresent() || change.transition() == Transition.LAPSE;
        if (!stays && taken && row.state instanceof Running running) {
            world.wakeups.loses(running.session());
        }
        if (!stays) {
            row.lease = Optional.empty();
            row.owner = Optional.empty();
        }
        if (change.transition() == Transition.REPLAY) {
            row.result = Optional.empty();
            row.failure = Optional.empty();
        }
        if (change.fresh()) {
            row.steps.clear();
        }
        if (!row.streams.isEmpty()) {
            world.wakeups.streamed(row.id().uuid());
        }
        row.deadline = change.deadline();
        row.priority = change.priority();
        row.retries = change.retries();
        row.reclaims = change.reclaims();
        row.replays = change.replays();
        row.result = change.result().or(() -> row.result);
        row.failure = change.failure().or(() -> row.failure);
        row.endedBy = change.after().terminal() ? change.by() : Optional.empty();
        change(row, change.transition(), change.after());
        change.waited().ifPresent(waited -> remember(row, waited));
        world.shares.changed(row);
        log(row, change.transition(), owner, change.by(), change.failure());
        if (change.after() instanceof Finished end) {
            row.member.ifPresent(place -> world.flows.ended(place, end.outcome()));
            change.abandons().ifPresent(world.flows::abandoned);
        }
    }

    /** Writes what was decided of a wait: what is remembered, what was received, how it ended. */
    void remember(MemoryExecution row, Waited waited) {
        row.awaiting = waited.awaiting();
        waited.step().ifPresent(step -> row.steps.put(step.name(), step));
        waited.signal().ifPresent(signal -> receive(row, signal));
    }

    private void receive(MemoryExecution row, ReceivedSignal received) {
        row.received.add(received);
        var signal = received.signal();
        var delivery = received.delivery();
        world.log.append(
                new Event.SignalReceived(
                        row.id(),
                        row.lane(),
                        signal.at().name(),
                        signal.name(),
                        delivery.number(),
                        delivery.effect(),
                        signal.by(),
                        delivery.at()),
                row.submission.tags());
    }

    /** Records what the holder of a lease has done. */
    Step record(MemoryExecution row, Checkpoint checkpoint) {
        var fence = checkpoint.fence();
        var step = new Step(checkpoint.name(), checkpoint.content(), fence.attempt(), world.now());
        row.steps.put(step.name(), step);
        row.leaseHasSteps();
        world.log.append(
                new Event.StepRecorded(
                        row.id(),
                        row.lane(),
                        step.name(),
                        step.attempt(),
                        fence.epoch(),
                        step.recorded()),
                row.submission.tags());
        return step;
    }

    /** Forgets an execution that has ended, with what it reported. */
    void erase(MemoryExecution row) {
        world.executions.remove(row);
        world.purses.ledger.remove(row.id());
    }

    private Lease lease(
            MemoryExecution row,
            SessionRecord living,
            LeasePurpose next,
            Transition step,
            Optional<Attribution> by) {
        var lease =
                new Lease(
                        new Fence(
                                row.id(),
                                next.startsAttempt() ? row.attempts : row.attempts - 1,
                                world.nextEpoch(row)),
                        living.session.id(),
                        next,
                        row.lane(),
                        row.submission.kind(),
                        row.submission.input(),
                        row.submission.tags(),
                        row.policy(),
                        row.retries,
                        world.now(),
                        row.deadline);
        if (next.startsAttempt()) {
            row.attempts++;
            row.progress = Optional.empty();
        }
        row.epoch = lease.fence().epoch();
        row.lease = Optional.of(lease);
        row.leaseHasSteps();
        row.leaseHasUpstreams();
        row.leasedByHand = by.isPresent();
        row.owner = Optional.of(living.owner());
        change(row, step, new Running(living.session.id(), world.now()));
        log(row, step, row.owner, by, Optional.empty());
        return row.lease.get();
    }

    /** Takes from quotas and budgets what a lease or a grant needs. */
    private void admit(MemoryExecution row, LeasePurpose next) {
        world.meters.take(row, next.startsAttempt(), world.now());
        world.purses.take(row);
    }

    /** Gives back what a lease or a grant took. A grant that was not redeemed never started. */
    private void giveBack(MemoryExecution row) {
        if (row.state instanceof Granted granted && granted.next().startsAttempt()) {
            world.meters.unstart(row, row.granted);
        }
        world.meters.give(row);
        world.purses.give(row);
        if (!row.counted.isEmpty() || !row.drawn.isEmpty()) {
            world.wakeups.wakeAll(row.lane().namespace());
        }
        row.counted = List.of();
    }

    private void change(MemoryExecution row, Transition transition, ExecutionState after) {
        row.state = transition.check(row.state, after);
        row.changed = world.now();
    }

    /** Logs a step that was done, and wakes those who wait for work if there is some now. */
    private void log(
            MemoryExecution row,
            Transition transition,
            Optional<Owner> owner,
            Optional<Attribution> by,
            Optional<Failure> failure) {
        if (row.state instanceof Ready) {
            world.wakeups.wake(row.lane(), row.id().uuid());
        }
        Optional<Instant> until =
                switch (row.state) {
                    case Delayed delayed -> Optional.of(delayed.until());
                    case Granted granted -> Optional.of(granted.until());
                    default -> Optional.empty();
                };
        world.log.append(
                new Event.Step(
                        row.id(),
                        row.lane(),
                        transition,
                        row.state.situation(),
                        world.now(),
                        row.attempts,
                        row.epoch,
                        owner,
                        by,
                        until,
                        failure),
                row.submission.tags());
    }
}
