package io.flowfabric;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.Resumption.Cause;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.core.state.SuspendedFor;
import io.flowfabric.engine.Engine;
import io.flowfabric.worker.Task;
import io.flowfabric.worker.TaskResult;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** What a handler waits for: time, signals, people, flows. Each wait is a step of its name. */
final class TaskWaits {
    private final Task task;
    private final StepLog steps;
    private final Engine engine;
    private @Nullable Unwinding unwinding;

    TaskWaits(Task task, StepLog steps, Engine engine) {
        this.task = task;
        this.steps = steps;
        this.engine = engine;
    }

    void sleep(String name, Due until) {
        resumption(
                name,
                Suspension.until(name, Condition.none())
                        .reason(SuspendedFor.STEP_BOUNDARY)
                        .timeout(until, Suspension.Behaviour.RESUME));
    }

    /** The content of the signal that ended the wait; nothing when something else did. */
    Optional<Payload> signal(String name, Optional<Duration> timeout) {
        var wait = Suspension.until(name, Condition.signal(name));
        var ended =
                resumption(
                        name,
                        timeout.map(most -> wait.timeout(most, Suspension.Behaviour.RESUME))
                                .orElse(wait));
        return ended.by() == Cause.SIGNAL
                ? Optional.of(content(ended.signals().getFirst()))
                : Optional.empty();
    }

    Approval approvals(String name, int count, Duration timeout, Consumer<String> ask) {
        ask(name, timeout, ask);
        var condition =
                count == 1
                        ? Condition.signal(name)
                        : Condition.atLeast(count, Condition.Distinct.SOURCES, name);
        var ended =
                resumption(
                        name,
                        Suspension.until(name, condition)
                                .reason(SuspendedFor.WAITING_FOR_APPROVAL)
                                .timeout(timeout, Suspension.Behaviour.RESUME));
        return new Approval(
                verdict(ended), ended.signals().stream().map(SignalHead::actor).toList());
    }

    /** Hands the token out once; before the wait, so that an answer may come at any time. */
    private void ask(String name, Duration timeout, Consumer<String> ask) {
        var asked = StepLog.RESERVED + "ask " + name;
        if (steps.next(asked).isPresent()) {
            return;
        }
        var at =
                engine.leases()
                        .open(List.of(new OpenWaitpoint(task.fence(), name)))
                        .getFirst()
                        .orThrow()
                        .at();
        var token =
                engine.signals()
                        .tokens(List.of(new Signals.Wanted(at, timeout)))
                        .getFirst()
                        .orThrow();
        steps.within(
                asked,
                () -> {
                    ask.accept(token);
                    return steps.record(asked, Payload.EMPTY);
                });
    }

    /** One who rejects is enough, also when the wait was ended by something else. */
    private static Approval.Verdict verdict(Resumption ended) {
        if (ended.signals().stream().anyMatch(one -> one.name().equals(Signal.REJECTED))) {
            return Approval.Verdict.REJECTED;
        }
        return switch (ended.by()) {
            case TIMEOUT -> Approval.Verdict.TIMED_OUT;
            case OPERATOR -> Approval.Verdict.LET_THROUGH;
            case SIGNAL ->
                    ended.signals().stream().allMatch(one -> one.name().equals(Signal.APPROVED))
                            ? Approval.Verdict.APPROVED
                            : Approval.Verdict.REJECTED;
        };
    }

    /** The flow, once it has ended. */
    FlowView children(String name, FlowSubmission flow) {
        var below = flow.below(task.execution(), name);
        var over = steps.next(name);
        var known = engine.flows().describe(List.of(below.id())).getFirst();
        if (known instanceof Answer.Refused<FlowView>(NotFound gone)) {
            if (over.isPresent()) {
                throw gone;
            }
            submit(below);
            throw leave(name, TaskResult.await(below.id()));
        }
        var view = known.orThrow();
        if (over.isEmpty()) {
            if (!view.state().ended()) {
                throw leave(name, TaskResult.await(below.id()));
            }
            steps.record(name, Payload.text(view.state().wire()));
        }
        return view;
    }

    /**
     * Submits the flow, unless the worker that had the work before has done so at the last moment,
     * with other content perhaps: its members belong to another trace.
     */
    private void submit(FlowSubmission flow) {
        try {
            engine.flows().submit(flow);
        } catch (Conflict taken) {
            if (engine.flows().describe(List.of(flow.id())).getFirst()
                    instanceof Answer.Refused<FlowView>) {
                throw taken;
            }
        }
    }

    @Nullable Unwinding unwinding() {
        return unwinding;
    }

    private Unwinding leave(String name, TaskResult result) {
        unwinding = new Unwinding(name, result);
        return unwinding;
    }

    private Resumption resumption(String name, Suspension wait) {
        Step over = steps.next(name).orElseThrow(() -> leave(name, TaskResult.suspend(wait)));
        return WaitCodec.resumption(over.content());
    }

    private Payload content(SignalHead head) {
        var after = Cursor.START;
        while (!after.equals(Cursor.END)) {
            var page = engine.signals().received(task.execution(), after, (int) Limit.PAGE.max());
            for (var received : page.items()) {
                if (received.delivery().number() == head.number()) {
                    return received.signal().content();
                }
            }
            after = page.next();
        }
        throw new IllegalStateException(
                "The signal %d of %s is not among those that were received."
                        .formatted(head.number(), task.execution()));
    }
}
