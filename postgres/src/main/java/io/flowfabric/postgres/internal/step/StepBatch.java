package io.flowfabric.postgres.internal.step;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Failure;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Decided steps on their way into the one statement that writes them. */
public final class StepBatch {
    private final List<Step> steps = new ArrayList<>();
    private final WaitBatch waits = new WaitBatch();
    private final Set<SessionId> losers = new HashSet<>();
    private final Set<UUID> streamed = new HashSet<>();

    /** One step in columns. Counts are differences. */
    private record Step(
            UUID id,
            Transition transition,
            Situation situation,
            @Nullable LeasePurpose next,
            @Nullable Long until,
            @Nullable DelayedBy delayedBy,
            @Nullable String detail,
            @Nullable Integer priority,
            int retries,
            int reclaims,
            int replays,
            @Nullable Long deadline,
            @Nullable Attribution by,
            @Nullable Failure failure,
            @Nullable Payload result,
            boolean cleared,
            @Nullable Long since,
            @Nullable Digest digest,
            @Nullable UUID abandoned) {}

    /**
     * What a step has led to.
     *
     * @param fresh the number by which it is queued, if it is ready and was not begun yet
     */
    public record Written(
            UUID id, int lane, boolean ready, Optional<Long> fresh, List<Integer> freed) {}

    public boolean isEmpty() {
        return steps.isEmpty();
    }

    /** The sessions from which these steps take work; they are told of it after the commit. */
    public Set<SessionId> losers() {
        return Set.copyOf(losers);
    }

    /** The flows that those have awaited which these steps end. */
    public Set<UUID> abandoned() {
        return steps.stream()
                .flatMap(step -> Stream.ofNullable(step.abandoned))
                .collect(Collectors.toSet());
    }

    /** The executions among those written that have streams; readers are told after the commit. */
    public Set<UUID> streamed() {
        return Set.copyOf(streamed);
    }

    /** A step that was decided from the facts of a row that this transaction has locked. */
    public void add(Change change, Facts before) {
        if (before.state() instanceof Running running && !change.transition().staysPut()) {
            losers.add(running.session());
        }
        add(change, before, null);
    }

    /** By which the holder of a lease gives it up, with what its repeats are known by. */
    public void addEnding(Change change, Facts before, Digest digest) {
        add(change, before, digest);
    }

    /** What was decided of a wait, while the execution stays what it is. */
    public void add(Waited waited, Facts before) {
        waits.add(before, waited);
    }

    private void add(Change change, Facts before, @Nullable Digest digest) {
        change.waited().ifPresent(waited -> waits.add(before, waited));
        var after = change.after();
        var delayed = delay(after);
        steps.add(
                new Step(
                        before.id().uuid(),
                        change.transition(),
                        after.situation(),
                        after instanceof Queued queued ? queued.next() : null,
                        until(after, delayed),
                        delayed.map(Delayed::by).orElse(null),
                        detail(after),
                        change.priority() == before.priority() ? null : (Integer) change.priority(),
                        change.retries() - before.retries(),
                        change.reclaims() - before.reclaims(),
                        change.replays() - before.replays(),
                        change.deadline().map(Instant::toEpochMilli).orElse(null),
                        change.by().orElse(null),
                        change.failure().orElse(null),
                        change.result().orElse(null),
                        change.fresh(),
                        after instanceof Suspended suspended
                                ? (Long) suspended.since().toEpochMilli()
                                : null,
                        digest,
                        change.abandons().map(FlowId::uuid).orElse(null)));
    }

    private static @Nullable Long until(ExecutionState after, Optional<Delayed> delayed) {
        var until =
                after instanceof Suspended suspended
                        ? suspended.timeoutAt()
                        : delayed.map(Delayed::until);
        return until.map(Instant::toEpochMilli).orElse(null);
    }

    private static @Nullable String detail(ExecutionState after) {
        return switch (after) {
            case Blocked blocked -> blocked.detail();
            case Suspended suspended -> suspended.reason().wire();
            default -> null;
        };
    }

    private static Optional<Delayed> delay(ExecutionState after) {
        var waiting = after instanceof Blocked blocked ? blocked.behind() : after;
        return waiting instanceof Delayed delayed ? Optional.of(delayed) : Optional.empty();
    }

    /**
     * Writes all of them, and says which were. What follows from the ends of members is left to
     * those who have the locks of their flows.
     */
    public List<Written> write(Jdbc db, @Nullable Long now) {
        return write(db, now, false);
    }

    /** Writes steps of members that their flow decided, which so knows of their ends. */
    public List<Written> writeSettled(Jdbc tx, @Nullable Long now) {
        return write(tx, now, true);
    }

    private List<Written> write(Jdbc db, @Nullable Long now, boolean settles) {
        // What was received is told before what it led to.
        waits.write(db);
        if (steps.isEmpty()) {
            return List.of();
        }
        var roundless = new HashSet<UUID>();
        var written = write(db, now, settles, roundless);
        place(db, steps.stream().map(Step::id).filter(roundless::contains).toList());
        return written;
    }

    /** Gives rounds to fresh work in lanes where keys share, in this order. */
    public static void place(Jdbc db, List<UUID> fresh) {
        if (!fresh.isEmpty()) {
            db.query("place").uuids("ids", fresh, id -> id).update();
        }
    }

    private List<Written> write(Jdbc db, @Nullable Long now, boolean settles, Set<UUID> roundless) {
        return db.query("step")
                .set("now", now)
                .set("settles", settles)
                .uuids("ids", steps, Step::id)
                .texts("transitions", steps, step -> RowCodec.word(step.transition))
                .texts("situations", steps, step -> RowCodec.word(step.situation))
                .texts("nexts", steps, step -> step.next == null ? null : RowCodec.word(step.next))
                .longs("untils", steps, Step::until)
                .texts(
                        "delayed_bys",
                        steps,
                        step -> step.delayedBy == null ? null : RowCodec.word(step.delayedBy))
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
                        step -> step.result == null ? null : RowCodec.type(step.result))
                .bytes("results", steps, step -> step.result == null ? null : step.result.bytes())
                .booleans("cleared", steps, Step::cleared)
                .longs("sinces", steps, Step::since)
                .bytes(
                        "digests",
                        steps,
                        step -> step.digest == null ? null : RowCodec.bytes(step.digest))
                .uuids("abandoned", steps, Step::abandoned)
                .set("inline", RowCodec.INLINE)
                .list(
                        row -> {
                            if (row.bool("streamed")) {
                                streamed.add(row.uuid("id"));
                            }
                            if (row.bool("needs_round")) {
                                roundless.add(row.uuid("id"));
                            }
                            return new Written(
                                    row.uuid("id"),
                                    row.intValue("lane"),
                                    row.bool("ready"),
                                    Optional.ofNullable(row.longOrNull("fresh")),
                                    RowCodec.slots(row));
                        });
    }
}
