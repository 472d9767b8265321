package io.flowfabric.testkit.history;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.Tags;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.lease.Progress;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.operate.OperatorCommand;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.StateVector.AttemptState;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.VirtualClock;
import io.flowfabric.testkit.history.Acknowledgement.ActDone;
import io.flowfabric.testkit.history.Acknowledgement.LeaseEnded;
import io.flowfabric.testkit.history.Acknowledgement.LeaseGiven;
import io.flowfabric.testkit.history.Acknowledgement.ProgressKept;
import io.flowfabric.testkit.history.Acknowledgement.Span;
import io.flowfabric.testkit.history.Acknowledgement.StepKept;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A handmade history of one execution. Told straight it is sound; the fields can be bent before any
 * step.
 */
final class Tale {
    static final Owner ADA = new Owner(SessionId.mint(), "ada", "ada-1");
    static final Owner ADA_AGAIN = new Owner(SessionId.mint(), "ada", "ada-2");
    static final Owner BOB = new Owner(SessionId.mint(), "bob", "bob-1");
    static final Attribution OPERATOR = new Attribution("eve", "because");
    static final Duration STEP = Duration.ofSeconds(1);
    static final Duration BACKOFF = Duration.ofSeconds(5);
    static final Failure FAILURE = Failure.of(Failure.TRANSIENT, "it rained");

    final ExecutionId id = ExecutionId.mint();
    Policy policy = Policy.DEFAULT;
    Lane lane = Lane.DEFAULT;
    int attempts;
    long epoch;
    Instant at = VirtualClock.MORNING;
    Totals totals = Totals.NONE;

    private final List<Event> events = new ArrayList<>();
    private final List<Long> given = new ArrayList<>();
    private final Acknowledgements told = new Acknowledgements(() -> at);
    private Optional<ExecutionView> view = Optional.empty();
    private Optional<Result> result = Optional.empty();
    private LeasePurpose next = LeasePurpose.FIRST;

    Tale submit() {
        next = LeasePurpose.FIRST;
        return step(Transition.SUBMIT, Situation.READY, Optional.empty(), Optional.empty());
    }

    Tale claim(Owner owner) {
        return claim(owner, Fence.epochAfter(epoch, at));
    }

    /** A claim that gave a lease of this epoch. */
    Tale claim(Owner owner, long ofEpoch) {
        attempts += next.startsAttempt() ? 1 : 0;
        epoch = ofEpoch;
        given.add(epoch);
        return step(next.claim(), Situation.RUNNING, Optional.of(owner), Optional.empty());
    }

    Tale complete(Owner owner) {
        return step(Transition.COMPLETE, Situation.COMPLETED, Optional.of(owner), Optional.empty());
    }

    Tale release(Owner owner) {
        next = LeasePurpose.CONTINUE;
        return step(Transition.RELEASE, Situation.READY, Optional.of(owner), Optional.empty());
    }

    Tale lapse(Owner owner) {
        next = LeasePurpose.RECLAIM;
        return step(Transition.LAPSE, Situation.READY, Optional.of(owner), Optional.empty());
    }

    Tale retry(Owner owner) {
        next = LeasePurpose.RETRY;
        return step(Transition.RETRY, Situation.BACKING_OFF, Optional.of(owner), Optional.empty());
    }

    Tale wake() {
        at = at.plus(BACKOFF);
        return step(Transition.WAKE, Situation.READY, Optional.empty(), Optional.empty());
    }

    Tale cancel(Optional<Owner> taken) {
        return step(Transition.CANCEL, Situation.CANCELLED, taken, Optional.of(OPERATOR));
    }

    Tale replay() {
        next = LeasePurpose.REPLAY;
        return step(Transition.REPLAY, Situation.READY, Optional.empty(), Optional.of(OPERATOR));
    }

    Tale step(
            Transition transition, Situation now, Optional<Owner> owner, Optional<Attribution> by) {
        boolean retry = transition == Transition.RETRY;
        events.add(
                new Event.Step(
                        id,
                        lane,
                        transition,
                        now,
                        at,
                        attempts,
                        epoch,
                        owner,
                        by,
                        retry ? Optional.of(at.plus(BACKOFF)) : Optional.empty(),
                        retry ? Optional.of(FAILURE) : Optional.empty()));
        at = at.plus(STEP);
        return this;
    }

    /** A sign of life of a session, which keeps it alive for so long. */
    Tale heartbeat(Owner owner, Duration ttl) {
        return tell(new Event.Renewal(owner, Namespace.DEFAULT, at, at.plus(ttl)));
    }

    /** Something that happened besides; it takes no time. */
    Tale tell(Event event) {
        events.add(event);
        return this;
    }

    Tale toldAccepted() {
        var submission = Submission.of("mail", Payload.EMPTY).lane(lane).id(id).policy(policy);
        told.note(new WorkAccepted(told.since(told.now()), submission, id));
        return this;
    }

    /** What was told of the nth lease that was given, from 1. */
    Tale toldLease(Owner owner, int nth) {
        return toldLease(owner, nth, told.since(told.now()));
    }

    /** One of the leases that a call gave. */
    Tale toldLease(Owner owner, int nth, Span call) {
        var lease =
                new Lease(
                        fence(nth),
                        owner.session(),
                        next,
                        lane,
                        "mail",
                        Payload.EMPTY,
                        Tags.NONE,
                        policy,
                        0,
                        at,
                        Optional.empty());
        told.note(new LeaseGiven(call, lease));
        return this;
    }

    /** The fence of the nth lease that was given; of one that never was, if it is one too many. */
    private Fence fence(int nth) {
        long ofEpoch = nth <= given.size() ? given.get(nth - 1) : epoch + nth - given.size();
        return new Fence(id, attempts - 1, ofEpoch);
    }

    /** A call that is made and answered now. */
    Span call() {
        return told.since(told.now());
    }

    Tale toldCompleted(int nth, String text) {
        var ending = new Ending.Complete(fence(nth), Payload.text(text));
        var answer = new Ended(Transition.COMPLETE, Optional.empty());
        told.note(new LeaseEnded(told.since(told.now()), ending, answer));
        return this;
    }

    Tale toldProgress(int nth) {
        var report = new Progress(fence(nth), 50, "half");
        told.note(new ProgressKept(told.since(told.now()), report));
        return this;
    }

    /** A step that was recorded under the nth lease that was given. */
    Tale recorded(int nth, String name) {
        var fence = fence(nth);
        return tell(new Event.StepRecorded(id, lane, name, fence.attempt(), fence.epoch(), at));
    }

    Tale toldRecorded(int nth, String name) {
        var checkpoint = new Checkpoint(fence(nth), name, Payload.EMPTY);
        var step = new Step(name, Payload.EMPTY, checkpoint.fence().attempt(), at);
        told.note(new StepKept(told.since(told.now()), checkpoint, step));
        return this;
    }

    Tale toldDone(OperatorCommand act) {
        told.note(new ActDone(told.since(told.now()), act));
        return this;
    }

    /** Shows a state at the end, with the counts that follow from the steps. */
    Tale seen(ExecutionState state) {
        view =
                Optional.of(
                        new ExecutionView(
                                id,
                                lane,
                                "mail",
                                "",
                                Optional.empty(),
                                Tags.NONE,
                                policy,
                                state,
                                0,
                                attempts,
                                epoch,
                                count(Transition.RETRY),
                                count(Transition.LAPSE),
                                count(Transition.REPLAY),
                                Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                state instanceof ExecutionState.Running
                                        ? Optional.of(ADA)
                                        : Optional.empty(),
                                Optional.empty(),
                                Optional.empty(),
                                VirtualClock.MORNING,
                                at.minus(STEP)));
        return this;
    }

    Tale seenCompleted(String text) {
        result =
                Optional.of(
                        new Result(
                                Outcome.SUCCESS,
                                Optional.of(Payload.text(text)),
                                Optional.empty(),
                                Optional.empty()));
        return seen(
                new ExecutionState.Finished(
                        Outcome.SUCCESS, at.minus(STEP), AttemptState.ATTEMPT_TERMINAL));
    }

    Tale seenBackingOff() {
        return seen(
                new ExecutionState.Delayed(
                        LeasePurpose.RETRY, at.minus(STEP).plus(BACKOFF), DelayedBy.BACKOFF));
    }

    History history() {
        return together(this);
    }

    /** The history of several executions, whose steps come in the order of their times. */
    static History together(Tale... tales) {
        var all = List.of(tales);
        var views = new HashMap<ExecutionId, ExecutionView>();
        var results = new HashMap<ExecutionId, Result>();
        all.forEach(tale -> tale.view.ifPresent(seen -> views.put(tale.id, seen)));
        all.forEach(tale -> tale.result.ifPresent(known -> results.put(tale.id, known)));
        var events = new ArrayList<Event>();
        all.forEach(tale -> events.addAll(tale.events));
        if (tales.length > 1) {
            events.sort(Comparator.comparing(Event::at));
        }
        return new History(
                events,
                views,
                results,
                all.stream().flatMap(tale -> tale.told.all().stream()).toList(),
                all.getFirst().totals,
                all.stream().map(tale -> tale.at).max(Instant::compareTo).orElseThrow(),
                false,
                Optional.empty());
    }

    private int count(Transition transition) {
        return (int)
                events.stream()
                        .filter(Event.Step.class::isInstance)
                        .filter(event -> ((Event.Step) event).transition() == transition)
                        .count();
    }

    /** What is found wrong with tales that happened beside each other. */
    static Set<Violation.Kind> kinds(Tale... tales) {
        return kinds(together(tales));
    }

    static Set<Violation.Kind> kinds(History history) {
        return new HistoryChecker(history)
                .verdict().stream().map(Violation::kind).collect(Collectors.toSet());
    }
}
