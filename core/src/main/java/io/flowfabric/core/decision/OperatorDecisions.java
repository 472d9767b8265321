package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;
import java.util.stream.Stream;

/** What an operator's act changes. */
public final class OperatorDecisions {
    private OperatorDecisions() {}

    /**
     * Decides about an act.
     *
     * @return the change, or nothing when what was asked for is already so
     * @throws Conflict when the act does not apply to what the execution is
     */
    public static Optional<Change> act(
            OperatorCommand act, Attribution by, Facts facts, Instant now) {
        return decide(act, by, facts, now).map(change -> change.by(by));
    }

    /**
     * Refuses a claim by id of what cannot be claimed, or not for this session.
     *
     * @param lane where the execution is
     * @throws Conflict when one of these stands in the way
     */
    public static void mustBeClaimable(Facts facts, Instant now, Lane lane, Session worker) {
        mustShareNamespace(facts, lane, worker);
        facts.refuseIfFinished();
        if (!(facts.state() instanceof Ready) || facts.pastDeadline(now)) {
            throw facts.conflict(
                    Conflict.Code.NOT_CLAIMABLE, "It is %s, and only ready work can be claimed.");
        }
    }

    /** A worker is given nothing of another namespace, whoever asks for it. */
    static void mustShareNamespace(Facts facts, Lane lane, Session worker) {
        if (!worker.namespace().equals(lane.namespace())) {
            throw new Conflict(
                    Conflict.Code.OTHER_NAMESPACE,
                    facts.id().toString(),
                    "It belongs to the namespace %s, and the session %s to %s: name a session of %s."
                            .formatted(
                                    lane.namespace(),
                                    worker.id(),
                                    worker.namespace(),
                                    lane.namespace()));
        }
    }

    /** Refuses to erase what has not ended: a worker may still be at it. */
    public static void mustBeErasable(Facts facts) {
        if (!facts.state().terminal()) {
            throw facts.conflict(
                    Conflict.Code.NOT_FINISHED, "It is %s; only what has ended can be erased.");
        }
    }

    private static Optional<Change> decide(
            OperatorCommand act, Attribution by, Facts facts, Instant now) {
        return switch (act) {
            case OperatorCommand.Cancel cancel ->
                    end(facts, Transition.CANCEL, Outcome.CANCELLED, now);
            case OperatorCommand.Complete complete ->
                    end(facts, Transition.COMPLETE, Outcome.SUCCESS, now)
                            .map(change -> change.result(complete.result()));
            case OperatorCommand.Fail fail ->
                    end(facts, Transition.FAIL, Outcome.FAILED, now)
                            .map(change -> change.failure(fail.failure()));
            case OperatorCommand.Pause pause -> pause(facts, by);
            case OperatorCommand.Resume resume ->
                    Optional.of(
                            facts.state() instanceof Suspended
                                    ? WaitDecisions.resume(facts, now)
                                    : resume(facts, now));
            case OperatorCommand.Revoke revoke -> revoke(facts);
            case OperatorCommand.Reprioritise reprioritise ->
                    reprioritise(facts, reprioritise.priority());
            case OperatorCommand.Replay replay -> Optional.of(replay(facts, replay.fresh(), now));
        };
    }

    private static Optional<Change> end(
            Facts facts, Transition transition, Outcome outcome, Instant now) {
        if (facts.state() instanceof Finished finished && finished.outcome() == outcome) {
            return Optional.empty();
        }
        facts.refuseIfFinished();
        return Optional.of(Change.finish(facts, transition, outcome, now));
    }

    private static Optional<Change> pause(Facts facts, Attribution by) {
        facts.refuseIfFinished();
        return switch (facts.state()) {
            case Blocked blocked when blocked.by() == BlockedBy.OPERATOR -> Optional.empty();
            case Waiting waiting -> Optional.of(hold(facts, waiting, by));
            case Running running -> Optional.of(hold(facts, new Ready(LeasePurpose.RECLAIM), by));
            case Blocked other -> throw notWaiting(facts);
            case Granted granted -> Optional.of(hold(facts, new Ready(granted.next()), by));
            case Suspended other -> throw notWaiting(facts);
            case Finished other -> throw notWaiting(facts);
        };
    }

    private static Change hold(Facts facts, Waiting behind, Attribution by) {
        return Change.of(
                facts, Transition.PAUSE, new Blocked(BlockedBy.OPERATOR, by.reason(), behind));
    }

    private static Change resume(Facts facts, Instant now) {
        facts.refuseIfFinished();
        var after =
                switch (facts.state()) {
                    case Blocked blocked when blocked.by() == BlockedBy.OPERATOR ->
                            blocked.behind().unlessDue(now);
                    case Delayed delayed -> new Ready(delayed.next());
                    case Blocked other -> throw notWaiting(facts);
                    case Ready other -> throw notWaiting(facts);
                    case Granted other -> throw notWaiting(facts);
                    case Running other -> throw notWaiting(facts);
                    case Suspended other -> throw notWaiting(facts);
                    case Finished other -> throw notWaiting(facts);
                };
        return Change.of(facts, Transition.RESUME, after);
    }

    private static Optional<Change> revoke(Facts facts) {
        facts.refuseIfFinished();
        return switch (facts.state()) {
            case Running running ->
                    Optional.of(
                            Change.of(facts, Transition.REVOKE, new Ready(LeasePurpose.RECLAIM)));
            case Granted granted -> Optional.of(TimerDecisions.forfeit(facts));
            case Waiting other -> Optional.empty();
            case Blocked other -> Optional.empty();
            case Suspended other -> Optional.empty();
            case Finished other -> Optional.empty();
        };
    }

    private static Optional<Change> reprioritise(Facts facts, int priority) {
        facts.refuseIfFinished();
        return facts.priority() == priority
                ? Optional.empty()
                : Optional.of(
                        Change.of(facts, Transition.REPRIORITISE, facts.state())
                                .priority(priority));
    }

    private static Change replay(Facts facts, boolean fresh, Instant now) {
        if (!facts.state().terminal()) {
            throw facts.conflict(
                    Conflict.Code.NOT_FINISHED, "It is %s; only what has ended can be replayed.");
        }
        if (!facts.policy().mayReplay(facts.replays())) {
            throw facts.conflict(
                    Conflict.Code.REPLAYS_EXHAUSTED,
                    "It is %s and was replayed as often as its policy allows.");
        }
        return Change.of(facts, Transition.REPLAY, new Ready(LeasePurpose.REPLAY))
                .counts(0, 0, facts.replays() + 1)
                .deadline(facts.policy().deadlineAfterReplay(now))
                .fresh(fresh);
    }

    private static Conflict notWaiting(Facts facts) {
        return facts.conflict(
                Conflict.Code.NOT_WAITING,
                "It is %s, which this act cannot change: describe it, and choose another act.");
    }

    /**
     * Refuses to claim by hand what its budgets leave nothing for, or its quotas no room: an
     * operator does not exceed them either.
     *
     * @param shortage what its budgets leave nothing for, in words
     * @param quotas how those stand that it counts against
     * @throws Conflict when one of them stands in the way
     */
    public static void mustBeAdmitted(
            ExecutionId execution, Optional<String> shortage, Stream<QuotaView> quotas) {
        shortage.or(() -> Obstacle.full(quotas))
                .ifPresent(
                        why -> {
                            throw new Conflict(
                                    Conflict.Code.NOT_CLAIMABLE, execution.toString(), why + ".");
                        });
    }
}
