package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.Awaiting.Wait;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.Delivery.Effect;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.ReceivedSignal;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.ExecutionState.Waiting;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.core.state.Transition;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** What suspensions, signals and their timeouts change. */
public final class WaitDecisions {
    private static final Attribution TIME_OVER = Attribution.engine("suspension timeout");

    private WaitDecisions() {}

    /**
     * A signal that came before anything waited for it.
     *
     * @param place the number of the waitpoint at which it arrived
     */
    public record Kept(SignalHead head, long place) {}

    /**
     * What the steps of an execution mean for one more.
     *
     * @param bytes how large they are together
     * @param taken whether one of them has the name of the suspension
     */
    public record StepRoom(int steps, long bytes, boolean taken) {}

    /**
     * What a signal leads to.
     *
     * @param change the step of the execution that it resumes, with all that is to be written
     * @param waited what is to be written, where it resumes nothing; neither for a repeat
     */
    public record Sent(Delivery delivery, Optional<Change> change, Optional<Waited> waited) {}

    /**
     * The worker suspends its execution. Signals that are kept at the waitpoints of the condition
     * count at once, and may be all that it takes.
     *
     * @throws Conflict when a step has the name of the suspension
     * @throws io.flowfabric.core.Invalid when it would be one step or one waitpoint too many, or
     *     there is no room for the step that ends the wait: it cannot be refused then
     */
    public static Change suspend(
            Facts facts, Suspension suspension, List<Kept> kept, StepRoom room, Instant now) {
        if (room.taken) {
            throw new Conflict(
                    Conflict.Code.RECORDED_DIFFERENTLY,
                    facts.id().toString(),
                    "A step '%s' was recorded before, so this wait is over: read the steps, and go"
                                    .formatted(suspension.name())
                            + " on behind it.");
        }
        Limit.STEPS.checkCount("steps", room.steps + 1);
        Limit.ALL_STEPS_BYTES.checkSize(
                "steps", room.bytes + WaitCodec.mostBytes(suspension), "bytes");
        var awaiting = facts.awaiting();
        for (String name : suspension.condition().waitpoints()) {
            // One that is waited at is open as long as the wait is.
            awaiting =
                    awaiting.open(name, now).isPresent()
                            ? awaiting.keeping(name)
                            : awaiting.opening(name, Optional.empty(), now);
        }
        var wait =
                new Wait(
                        suspension.name(),
                        suspension.condition(),
                        suspension.condition().waitpoints(),
                        suspension
                                .timeout()
                                .map(Suspension.Timeout::behaviour)
                                .orElse(Suspension.Behaviour.FAIL),
                        suspension.resumeDelay(),
                        List.of());
        for (Kept signal : kept) {
            var place = awaiting.open(signal.head.waitpoint(), now);
            if (place.filter(open -> open.number() == signal.place).isPresent()) {
                wait = after(wait, signal.head);
            }
        }
        awaiting = awaiting.waiting(Optional.of(wait));
        if (wait.left().met()) {
            return goesOn(
                    facts,
                    Transition.SUSPEND,
                    awaiting,
                    Resumption.Cause.SIGNAL,
                    wait.resumeDelay(),
                    now);
        }
        var timeout = suspension.timeout().map(end -> end.at().from(now));
        return Change.of(
                        facts, Transition.SUSPEND, new Suspended(suspension.reason(), now, timeout))
                .waited(Waited.of(awaiting));
    }

    /** What the holder of the lease is told whose suspension was written. */
    public static Optional<Instant> until(Change change) {
        return switch (change.after()) {
            case Suspended suspended -> suspended.timeoutAt();
            case Delayed delayed -> Optional.of(delayed.until());
            default -> Optional.empty();
        };
    }

    private static Wait after(Wait wait, SignalHead head) {
        var left = wait.left().after(head);
        if (left.equals(wait.left())) {
            return wait;
        }
        var counted = new ArrayList<>(wait.counted());
        counted.add(head);
        return new Wait(
                wait.name(),
                left,
                wait.waitpoints(),
                wait.behaviour(),
                wait.resumeDelay(),
                counted);
    }

    /**
     * The worker opens a waitpoint.
     *
     * @return what is to be written; nothing when it is open already
     */
    public static Optional<Waited> open(Facts facts, OpenWaitpoint asked, Instant now) {
        if (facts.awaiting().open(asked.name(), now).isPresent()) {
            return Optional.empty();
        }
        var expires = asked.expiresAfter().map(now::plus);
        return Optional.of(Waited.of(facts.awaiting().opening(asked.name(), expires, now)));
    }

    /**
     * A signal arrives.
     *
     * @param place the number that the waitpoint must have, where a token says so
     * @param before what arrived at this waitpoint under the key of the signal, if something did
     * @throws Conflict when that was something else, the execution has ended, or the waitpoint is
     *     closed
     * @throws io.flowfabric.core.Invalid when it is one signal or one waitpoint too many
     */
    public static Sent send(
            Facts facts,
            Signal signal,
            Optional<Long> place,
            Optional<ReceivedSignal> before,
            Instant now) {
        var known = facts.awaiting().place(signal.at().name());
        if (place.isPresent() && !place.equals(known.map(Awaiting.Place::number))) {
            throw closed(signal.at());
        }
        if (before.isPresent()) {
            return new Sent(repeated(signal, before.get()), Optional.empty(), Optional.empty());
        }
        facts.refuseIfFinished();
        var name = signal.at().name();
        var awaiting = facts.awaiting();
        if (known.isEmpty()) {
            awaiting = awaiting.opening(name, Optional.empty(), now);
        }
        var open = awaiting.open(name, now).orElseThrow(() -> closed(signal.at()));
        Limit.SIGNALS.checkRange("signals", 1, awaiting.received() + 1);
        Limit.WAITPOINT_SIGNALS.checkRange("signals at a waitpoint", 1, open.received() + 1);
        awaiting = awaiting.receiving(name);
        var head = new SignalHead(awaiting.received(), name, signal.name(), signal.by().actor());
        var wait = awaiting.pending().map(waiting -> after(waiting, head));
        var effect = effect(awaiting.pending(), wait);
        awaiting = awaiting.waiting(wait);
        var delivery = new Delivery(head.number(), effect, now);
        var received = new ReceivedSignal(signal, open.number(), delivery);
        if (effect != Effect.RESUMED) {
            return new Sent(
                    delivery, Optional.empty(), Optional.of(Waited.of(awaiting).signal(received)));
        }
        var change =
                goesOn(
                        facts,
                        Transition.RESUME,
                        awaiting,
                        Resumption.Cause.SIGNAL,
                        wait.orElseThrow().resumeDelay(),
                        now);
        return new Sent(
                delivery,
                Optional.of(
                        change.by(signal.by())
                                .waited(change.waited().orElseThrow().signal(received))),
                Optional.empty());
    }

    private static Effect effect(Optional<Wait> before, Optional<Wait> after) {
        if (before.equals(after)) {
            return Effect.KEPT;
        }
        return after.orElseThrow().left().met() ? Effect.RESUMED : Effect.COUNTED;
    }

    private static Delivery repeated(Signal signal, ReceivedSignal before) {
        if (!before.signal().digest().equals(signal.digest())) {
            throw new Conflict(
                    Conflict.Code.SENT_DIFFERENTLY,
                    signal.at().toString(),
                    "A signal with other content was sent under this key: send under a key of its"
                            + " own.");
        }
        return before.delivery();
    }

    /** The refusal of what a closed waitpoint was asked for. */
    public static Conflict closed(Waitpoint at) {
        return new Conflict(
                Conflict.Code.WAITPOINT_CLOSED,
                at.toString(),
                "This waitpoint is not open: its wait is over, its time was, or nobody has opened"
                        + " it yet. Look at the open ones, and send to one of those.");
    }

    /**
     * An operator closes a waitpoint.
     *
     * @return what is to be written; nothing when it is closed already
     * @throws NotFound when there is none of this name
     * @throws Conflict when the execution has ended
     */
    public static Optional<Waited> close(Facts facts, Waitpoint at, Instant now) {
        facts.refuseIfFinished();
        var place =
                facts.awaiting()
                        .place(at.name())
                        .orElseThrow(() -> new NotFound("waitpoint", at.toString()));
        return place.open(now)
                ? Optional.of(Waited.of(facts.awaiting().closing(List.of(at.name()))))
                : Optional.empty();
    }

    /**
     * The waitpoint that a token is wanted for.
     *
     * @throws Conflict when the execution has ended, or the waitpoint is not open
     */
    public static Awaiting.Place mustBeOpen(Facts facts, Waitpoint at, Instant now) {
        facts.refuseIfFinished();
        return facts.awaiting().open(at.name(), now).orElseThrow(() -> closed(at));
    }

    /** An operator lets it go on. */
    static Change resume(Facts facts, Instant now) {
        return goesOn(
                facts,
                Transition.RESUME,
                facts.awaiting(),
                Resumption.Cause.OPERATOR,
                Duration.ZERO,
                now);
    }

    /** The time of its suspension is over. */
    static Change timeOut(Facts facts, Instant now) {
        var wait = facts.awaiting().pending();
        var behaviour = wait.map(Wait::behaviour).orElse(Suspension.Behaviour.FAIL);
        var change =
                switch (behaviour) {
                    case FAIL ->
                            Change.finish(facts, Transition.FAIL, Outcome.FAILED, now)
                                    .failure(
                                            Failure.of(
                                                    Failure.TIMEOUT,
                                                    "nothing ended its wait in time"));
                    case CANCEL -> Change.finish(facts, Transition.CANCEL, Outcome.CANCELLED, now);
                    case EXPIRE -> Change.finish(facts, Transition.EXPIRE, Outcome.EXPIRED, now);
                    case RESUME -> timedOut(facts, facts.awaiting(), now);
                    case RESUME_WITH_SIGNAL -> timedOutWithSignal(facts, wait.orElseThrow(), now);
                    case ESCALATE -> escalate(facts);
                };
        return change.by(TIME_OVER);
    }

    private static Change timedOut(Facts facts, Awaiting awaiting, Instant now) {
        return goesOn(
                facts, Transition.RESUME, awaiting, Resumption.Cause.TIMEOUT, Duration.ZERO, now);
    }

    /**
     * At its first waitpoint; without one, at none, under the name of the wait: a waitpoint that
     * happens to have this name is a matter of others.
     */
    private static Change timedOutWithSignal(Facts facts, Wait wait, Instant now) {
        boolean nowhere = wait.waitpoints().isEmpty();
        var name = nowhere ? wait.name() : wait.waitpoints().getFirst();
        var awaiting = nowhere ? facts.awaiting().receiving() : facts.awaiting().receiving(name);
        var head = new SignalHead(awaiting.received(), name, Signal.TIMEOUT, TIME_OVER.actor());
        var counted = new ArrayList<>(wait.counted());
        counted.add(head);
        var told =
                new Wait(
                        wait.name(),
                        wait.left(),
                        wait.waitpoints(),
                        wait.behaviour(),
                        wait.resumeDelay(),
                        counted);
        var received =
                new ReceivedSignal(
                        Signal.of(
                                new Waitpoint(facts.id(), name),
                                Signal.TIMEOUT,
                                Payload.EMPTY,
                                TIME_OVER),
                        nowhere ? 0 : awaiting.place(name).map(Awaiting.Place::number).orElse(0L),
                        new Delivery(head.number(), Effect.RESUMED, now));
        var change = timedOut(facts, awaiting.waiting(Optional.of(told)), now);
        return change.waited(change.waited().orElseThrow().signal(received));
    }

    private static Change escalate(Facts facts) {
        var suspended = (Suspended) facts.state();
        return Change.of(
                facts,
                Transition.ESCALATE,
                new Suspended(
                        SuspendedFor.WAITING_FOR_OPERATOR_REVIEW,
                        suspended.since(),
                        Optional.empty()));
    }

    /** It goes on: its waitpoints are closed, and a step says why. */
    private static Change goesOn(
            Facts facts,
            Transition transition,
            Awaiting awaiting,
            Resumption.Cause cause,
            Duration delay,
            Instant now) {
        Waiting after =
                new Delayed(LeasePurpose.CONTINUE, now.plus(delay), DelayedBy.RESUMPTION)
                        .unlessDue(now);
        var change = Change.of(facts, transition, after);
        var wait = awaiting.pending();
        if (wait.isEmpty()) {
            return change;
        }
        var step =
                new Step(
                        wait.get().name(),
                        WaitCodec.write(new Resumption(cause, wait.get().counted())),
                        facts.attempts() - 1,
                        now);
        var over = awaiting.closing(wait.get().waitpoints()).waiting(Optional.empty());
        return change.waited(Waited.of(over).step(step));
    }
}
