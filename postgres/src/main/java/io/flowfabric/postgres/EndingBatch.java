package io.flowfabric.postgres;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.UUID;

/** Endings of leases on their way into the one statement that writes them. */
final class EndingBatch {
    /** The order of ids by which rows are locked: that of the server, which compares bytes. */
    private static final Comparator<UUID> IN_ORDER =
            Comparator.<UUID>comparingLong(id -> id.getMostSignificantBits() ^ Long.MIN_VALUE)
                    .thenComparingLong(id -> id.getLeastSignificantBits() ^ Long.MIN_VALUE);

    private final List<Row> rows;

    /** One ending in columns. */
    private record Row(
            Ending ending,
            Transition transition,
            Situation situation,
            @Nullable LeasePurpose next,
            @Nullable Due until,
            @Nullable DelayedBy delayedBy,
            @Nullable Failure failure,
            @Nullable Payload result) {
        UUID id() {
            return ending.fence().execution().uuid();
        }
    }

    /** What an ending has led to. */
    record Written(
            UUID id, int lane, boolean ready, Optional<Instant> until, List<Integer> freed) {}

    EndingBatch(Collection<Ending> endings) {
        rows = new ArrayList<>(endings.size());
        endings.forEach(ending -> rows.add(row(ending)));
    }

    private static Row row(Ending ending) {
        return switch (ending) {
            case Ending.Complete complete ->
                    over(ending, Transition.COMPLETE, Situation.COMPLETED, null, complete.result());
            case Ending.Cancel cancel ->
                    over(
                            ending,
                            Transition.CANCEL,
                            Situation.CANCELLED,
                            Failure.of(Failure.CANCELLED, cancel.reason()),
                            null);
            case Ending.Fail fail ->
                    switch (fail.verdict()) {
                        case RetryDecision.GiveUp() ->
                                over(
                                        ending,
                                        Transition.FAIL,
                                        Situation.FAILED,
                                        fail.failure(),
                                        null);
                        case RetryDecision.TryAgain(var delay) ->
                                new Row(
                                        ending,
                                        Transition.RETRY,
                                        Situation.BACKING_OFF,
                                        LeasePurpose.RETRY,
                                        Due.in(delay),
                                        DelayedBy.BACKOFF,
                                        fail.failure(),
                                        null);
                    };
            case Ending.Delay delay ->
                    new Row(
                            ending,
                            Transition.DELAY,
                            Situation.DELAYED,
                            LeasePurpose.CONTINUE,
                            delay.until(),
                            DelayedBy.REQUEST,
                            null,
                            null);
            case Ending.Release release ->
                    new Row(
                            ending,
                            Transition.RELEASE,
                            Situation.READY,
                            LeasePurpose.CONTINUE,
                            null,
                            null,
                            null,
                            null);
        };
    }

    private static Row over(
            Ending ending,
            Transition transition,
            Situation situation,
            @Nullable Failure failure,
            @Nullable Payload result) {
        return new Row(ending, transition, situation, null, null, null, failure, result);
    }

    /** Whether all of them are completions with small results. */
    boolean plain() {
        return rows.stream()
                .allMatch(
                        row ->
                                row.transition == Transition.COMPLETE
                                        && row.result != null
                                        && RowCodec.inline(row.result));
    }

    /**
     * Completes plain ones: those whose fence holds and that have neither timers nor meters.
     *
     * @return whether that was all of them
     */
    boolean complete(Jdbc db, @Nullable Long now) {
        var inOrder = rows.stream().sorted(Comparator.comparing(Row::id, IN_ORDER)).toList();
        return db.query("complete")
                .set("now", now)
                .uuids("ids", inOrder, Row::id)
                .ints("parts", inOrder, row -> row.ending.fence().execution().partition().number())
                .ints("attempts", inOrder, row -> row.ending.fence().attempt())
                .longs("epochs", inOrder, row -> row.ending.fence().epoch())
                .bytes("digests", inOrder, row -> RowCodec.bytes(row.ending.digest()))
                .texts(
                        "types",
                        inOrder,
                        row -> row.result == null ? null : RowCodec.type(row.result))
                .bytes("results", inOrder, row -> row.result == null ? null : row.result.bytes())
                .one(row -> row.intValue("completed") == rows.size());
    }

    /** Writes those whose fence holds, and says which they are. */
    List<Written> write(Jdbc db, @Nullable Long now) {
        return db.query("end")
                .set("now", now)
                .uuids("ids", rows, Row::id)
                .ints("parts", rows, row -> row.ending.fence().execution().partition().number())
                .ints("attempts", rows, row -> row.ending.fence().attempt())
                .longs("epochs", rows, row -> row.ending.fence().epoch())
                .bytes("digests", rows, row -> RowCodec.bytes(row.ending.digest()))
                .texts("transitions", rows, row -> RowCodec.word(row.transition))
                .texts("situations", rows, row -> RowCodec.word(row.situation))
                .texts("nexts", rows, row -> row.next == null ? null : RowCodec.word(row.next))
                .longs(
                        "until_ats",
                        rows,
                        row -> row.until instanceof Due.At at ? at.time().toEpochMilli() : null)
                .longs(
                        "until_afters",
                        rows,
                        row ->
                                row.until instanceof Due.After after
                                        ? after.delay().toMillis()
                                        : null)
                .texts(
                        "delayed_bys",
                        rows,
                        row -> row.delayedBy == null ? null : RowCodec.word(row.delayedBy))
                .texts(
                        "categories",
                        rows,
                        row -> row.failure == null ? null : row.failure.category())
                .texts("messages", rows, row -> row.failure == null ? null : row.failure.message())
                .texts("traces", rows, row -> row.failure == null ? null : row.failure.detail())
                .texts("types", rows, row -> row.result == null ? null : RowCodec.type(row.result))
                .bytes("results", rows, row -> row.result == null ? null : row.result.bytes())
                .set("inline", RowCodec.INLINE)
                .list(
                        row ->
                                new Written(
                                        row.uuid("id"),
                                        row.intValue("lane"),
                                        row.bool("ready"),
                                        RowCodec.time(row, "until"),
                                        RowCodec.slots(row)));
    }
}
