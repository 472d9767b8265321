package io.flowfabric.valkey.internal;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.Transition;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.record.Codes;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.record.WaitRecord;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Writes steps that were decided here, where nothing has changed since they were. */
public final class Steps {
    /** How many one call takes: a call keeps all others waiting. */
    private static final int MOST = 1000;

    private final ValkeyContext valkey;
    private final FlowSettling settling;

    public Steps(ValkeyContext valkey, FlowSettling settling) {
        this.valkey = valkey;
        this.settling = settling;
    }

    /** Takes note of the flows in which something follows from the steps of a call. */
    UnsettledFlows unsettled() {
        return new UnsettledFlows(settling);
    }

    /**
     * A decided step.
     *
     * @param before the execution as it was when it was decided
     * @param submission what was submitted; nothing when it cannot be read
     * @param remembered what was remembered of its waits, if the change writes something of them
     * @param uncounted whether limits of its lane would not count it, and it is taken only while
     *     the lane has none
     */
    public record Step(
            ExecutionFields before,
            Optional<Submission> submission,
            Change change,
            Item remembered,
            boolean uncounted) {
        /** A step that is not about waits. */
        Step(ExecutionFields before, Optional<Submission> submission, Change change) {
            this(before, submission, change, new Item.Truth(false), false);
        }

        /** A step of what can be read. */
        Step(ExecutionFacts.Decidable stored, Change change) {
            this(stored, change, false);
        }

        /** A step that may let work wait where limits of its lane would not count it. */
        Step(ExecutionFacts.Decidable stored, Change change, boolean uncounted) {
            this(
                    stored.row(),
                    Optional.of(stored.submission()),
                    change,
                    stored.remembered(),
                    uncounted);
        }
    }

    /**
     * Takes steps, and says of each whether it was taken; otherwise it has to be decided anew.
     *
     * @param flows takes note of those of which members end
     */
    List<Boolean> take(Partition home, List<Step> steps, UnsettledFlows flows) {
        var taken = new ArrayList<Boolean>();
        for (int from = 0; from < steps.size(); from += MOST) {
            var some = steps.subList(from, Math.min(steps.size(), from + MOST));
            taken.addAll(
                    valkey.call("step", home, out -> out.list(some, Steps::write))
                            .answer()
                            .list(Item::truth));
        }
        flows.note(home, steps, taken);
        return taken;
    }

    /** Takes steps, and says how many were taken. */
    int count(Partition home, List<Step> steps, UnsettledFlows flows) {
        return (int) take(home, steps, flows).stream().filter(taken -> taken).count();
    }

    static void write(Packer out, Step step) {
        out.list(6).uuid(step.before.uuid()).bytes(step.before.packed());
        write(out, step.change, step.submission);
        out.optional(step.remembered.optional(Item::bytes), Packer::bytes)
                .optional(
                        step.change.waited(), (o, it) -> WaitRecord.write(o, step.before.id(), it))
                .truth(step.uncounted);
    }

    static void write(Packer out, Change change, Optional<Submission> submitted) {
        var after = change.after();
        var delayed = delay(after);
        out.list(18)
                .number(Codes.STEPS.of(change.transition()))
                .number(Codes.SITUATIONS.of(after.situation()))
                .optional(
                        after instanceof Queued queued
                                ? Optional.of(queued.next())
                                : Optional.empty(),
                        (o, next) -> o.number(Codes.PURPOSES.of(next)))
                .optional(delayed.map(Delayed::until).or(() -> timeout(after)), Packer::moment)
                .optional(delayed.map(Delayed::by), (o, by) -> o.number(Codes.DELAYS.of(by)))
                .optional(
                        after instanceof Blocked blocked
                                ? Optional.of(blocked.detail())
                                : Optional.empty(),
                        Packer::text)
                .number(change.priority())
                .number(change.retries())
                .number(change.reclaims())
                .number(change.replays())
                .optional(change.deadline(), Packer::moment)
                .optional(change.by(), (o, by) -> o.list(2).text(by.actor()).text(by.reason()))
                .optional(change.failure(), (o, failure) -> o.bytes(write(failure)))
                .optional(
                        change.result().filter(result -> !result.equals(Payload.EMPTY)),
                        (o, result) -> o.bytes(SubmissionRecord.write(result)));
        if (change.transition() == Transition.REPLAY) {
            var submission = submitted.orElseThrow();
            GateDefinition.of(submission.kind(), submission.policy()).write(out);
        } else {
            out.absent();
        }
        out.truth(change.fresh())
                .optional(
                        after instanceof Suspended suspended
                                ? Optional.of(suspended)
                                : Optional.empty(),
                        (o, it) ->
                                o.list(2)
                                        .number(Codes.SUSPENSIONS.of(it.reason()))
                                        .moment(it.since()))
                .optional(change.abandons(), (o, flow) -> o.uuid(flow.uuid()));
    }

    private static Optional<Instant> timeout(ExecutionState after) {
        return after instanceof Suspended suspended ? suspended.timeoutAt() : Optional.empty();
    }

    private static Optional<Delayed> delay(ExecutionState after) {
        var waiting = after instanceof Blocked blocked ? blocked.behind() : after;
        return waiting instanceof Delayed delayed ? Optional.of(delayed) : Optional.empty();
    }

    public static byte[] write(Failure failure) {
        return new Packer()
                .list(3)
                .text(failure.category())
                .text(failure.message())
                .text(failure.detail())
                .done();
    }

    public static Failure failure(Item packed) {
        var told = Item.read(packed.bytes());
        return new Failure(told.at(0).text(), told.at(1).text(), told.at(2).text());
    }
}
