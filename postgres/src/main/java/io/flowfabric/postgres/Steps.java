package io.flowfabric.postgres;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.contract.By;
import io.flowfabric.core.contract.Ending;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Verdict;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.Next;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Decided steps on their way into the one statement that writes them. */
final class Steps {
    private final List<Step> steps = new ArrayList<>();

    /**
     * One step in columns. Counts are differences, so that a holder need not know what they were.
     */
    private record Step(
            UUID id,
            int part,
            @Nullable Integer attempt,
            @Nullable Long epoch,
            @Nullable Digest digest,
            Transition transition,
            Situation situation,
            @Nullable Next next,
            @Nullable Long untilAt,
            @Nullable Long untilAfter,
            @Nullable DelayedBy delayedBy,
            @Nullable String detail,
            @Nullable Integer priority,
            int retries,
            int reclaims,
            int replays,
            @Nullable Long deadline,
            @Nullable By by,
            @Nullable Failure failure,
            @Nullable Payload result) {}

    /** What a step has led to. */
    record Written(UUID id, int lane, boolean ready, Optional<Instant> until) {}

    boolean isEmpty() {
        return steps.isEmpty();
    }

    /** A step that was decided from the facts of a row that this transaction has locked. */
    void add(Change change, Facts before, Optional<Instant> deadline) {
        var after = change.after();
        var delayed = delay(after);
        steps.add(
                new Step(
                        before.id().uuid(),
                        before.id().partition().number(),
                        null,
                        null,
                        null,
                        change.transition(),
                        after.situation(),
                        after instanceof Queued queued ? queued.next() : null,
                        delayed.map(d -> d.until().toEpochMilli()).orElse(null),
                        null,
                        delayed.map(Delayed::by).orElse(null),
                        after instanceof Blocked blocked ? blocked.detail() : null,
                        change.priority() == before.priority() ? null : (Integer) change.priority(),
                        change.retries() - before.retries(),
                        change.reclaims() - before.reclaims(),
                        change.replays() - before.replays(),
                        deadline.map(Instant::toEpochMilli).orElse(null),
                        change.by().orElse(null),
                        change.failure().orElse(null),
                        change.result().orElse(null)));
    }

    private static Optional<Delayed> delay(ExecutionState after) {
        var waiting = after instanceof Blocked blocked ? blocked.behind() : after;
        return waiting instanceof Delayed delayed ? Optional.of(delayed) : Optional.empty();
    }

    /**
     * What the holder of a lease does; the statement checks the fence, and the store's clock
     * counts.
     */
    void add(Ending ending) {
        switch (ending) {
            case Ending.Complete complete ->
                    add(
                            ending,
                            Transition.COMPLETE,
                            Situation.COMPLETED,
                            null,
                            null,
                            null,
                            null,
                            complete.result());
            case Ending.Fail fail -> {
                switch (fail.verdict()) {
                    case Verdict.GiveUp() ->
                            add(
                                    ending,
                                    Transition.FAIL,
                                    Situation.FAILED,
                                    null,
                                    null,
                                    null,
                                    fail.failure(),
                                    null);
                    case Verdict.TryAgain(var delay) ->
                            add(
                                    ending,
                                    Transition.RETRY,
                                    Situation.BACKING_OFF,
                                    Next.RETRY,
                                    Due.in(delay),
                                    DelayedBy.BACKOFF,
                                    fail.failure(),
                                    null);
                }
            }
            case Ending.Cancel cancel ->
                    add(
                            ending,
                            Transition.CANCEL,
                            Situation.CANCELLED,
                            null,
                            null,
                            null,
                            Failure.of(Failure.CANCELLED, cancel.reason()),
                            null);
            case Ending.Delay delay ->
                    add(
                            ending,
                            Transition.DELAY,
                            Situation.DELAYED,
                            Next.CONTINUE,
                            delay.until(),
                            DelayedBy.REQUEST,
                            null,
                            null);
            case Ending.Release release ->
                    add(
                            ending,
                            Transition.RELEASE,
                            Situation.READY,
                            Next.CONTINUE,
                            null,
                            null,
                            null,
                            null);
        }
    }

    private void add(
            Ending ending,
            Transition transition,
            Situation situation,
            @Nullable Next next,
            @Nullable Due until,
            @Nullable DelayedBy delayedBy,
            @Nullable Failure failure,
            @Nullable Payload result) {
        var fence = ending.fence();
        steps.add(
                new Step(
                        fence.execution().uuid(),
                        fence.execution().partition().number(),
                        fence.attempt(),
                        fence.epoch(),
                        ending.digest(),
                        transition,
                        situation,
                        next,
                        until instanceof Due.At at ? (Long) at.time().toEpochMilli() : null,
                        until instanceof Due.After after ? (Long) after.delay().toMillis() : null,
                        delayedBy,
                        null,
                        null,
                        transition == Transition.RETRY ? 1 : 0,
                        0,
                        0,
                        null,
                        null,
                        failure,
                        result));
    }

    /** Writes all of them, and says which were. */
    List<Written> write(Jdbc db, @Nullable Long now, boolean fenced) {
        return db.query("step")
                .set("now", now)
                .set("fenced", fenced)
                .uuids("ids", steps, Step::id)
                .ints("parts", steps, Step::part)
                .ints("attempts", steps, Step::attempt)
                .longs("epochs", steps, Step::epoch)
                .bytes("digests", steps, step -> step.digest == null ? null : bytes(step.digest))
                .texts("transitions", steps, step -> Stored.word(step.transition))
                .texts("situations", steps, step -> Stored.word(step.situation))
                .texts("nexts", steps, step -> step.next == null ? null : Stored.word(step.next))
                .longs("until_ats", steps, Step::untilAt)
                .longs("until_afters", steps, Step::untilAfter)
                .texts(
                        "delayed_bys",
                        steps,
                        step -> step.delayedBy == null ? null : Stored.word(step.delayedBy))
                .texts("details", steps, Step::detail)
                .ints("priorities", steps, Step::priority)
                .ints("retries", steps, Step::retries)
                .ints("reclaims", steps, Step::reclaims)
                .ints("replays", steps, Step::replays)
                .longs("deadlines", steps, Step::deadline)
                .texts("actors", steps, step -> step.by == null ? null : step.by.actor())
                .texts("reasons", steps, step -> step.by == null ? null : step.by.reason())
                .texts(
                        "categories",
                        steps,
                        step -> step.failure == null ? null : step.failure.category())
                .texts(
                        "messages",
                        steps,
                        step -> step.failure == null ? null : step.failure.message())
                .texts("traces", steps, step -> step.failure == null ? null : step.failure.detail())
                .texts(
                        "types",
                        steps,
                        step -> step.result == null ? null : step.result.contentType())
                .bytes("results", steps, step -> step.result == null ? null : step.result.bytes())
                .list(
                        row ->
                                new Written(
                                        row.uuid("id"),
                                        row.intValue("lane"),
                                        row.bool("ready"),
                                        Stored.time(row, "until")));
    }

    static byte[] bytes(Digest digest) {
        return HexFormat.of().parseHex(digest.hex());
    }
}
