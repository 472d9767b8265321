package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.LeaseEnd;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.state.Transition;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/** Endings of leases on their way into the one statement that writes them. */
public final class EndingBatch {
    private final List<Row> rows;

    /** An ending, and what it writes. */
    private record Row(Ending ending, LeaseEnd end) {
        UUID id() {
            return ending.fence().execution().uuid();
        }

        @Nullable String type() {
            var result = end.result().orElse(null);
            return result == null ? null : RowCodec.type(result);
        }

        byte @Nullable [] result() {
            return end.result().map(Payload::bytes).orElse(null);
        }
    }

    /** What an ending has led to. */
    public record Written(
            UUID id, int lane, boolean ready, Optional<Instant> until, boolean streamed) {}

    /**
     * What the endings of a batch have led to.
     *
     * @param counted whether anything of it counted against something
     * @param freed the meters that have room again for which work may have waited
     */
    public record Outcome<T>(List<T> written, boolean counted, Set<Integer> freed) {}

    public EndingBatch(Collection<Ending> endings) {
        rows = endings.stream().map(ending -> new Row(ending, LeaseEnd.of(ending))).toList();
    }

    /** Whether all of them are completions with small results. */
    public boolean plain() {
        return rows.stream()
                .allMatch(
                        row ->
                                row.end.transition() == Transition.COMPLETE
                                        && row.end.result().filter(RowCodec::inline).isPresent());
    }

    /**
     * Completes those whose fence holds and that the statement is made for.
     *
     * @return their ids
     */
    public Outcome<UUID> complete(Completing form, Jdbc db, @Nullable Long now) {
        var inOrder =
                rows.stream().sorted(Comparator.comparing(Row::id, RowCodec.ID_ORDER)).toList();
        var counted = new AtomicBoolean();
        var freed = new HashSet<Integer>();
        var completed =
                ended(db.query(form.statement()), inOrder)
                        .set("now", now)
                        .list(
                                row -> {
                                    if (form == Completing.COUNTED && freed.isEmpty()) {
                                        counted.set(row.bool("counted"));
                                        freed.addAll(List.of(row.ints("freed")));
                                    }
                                    return row.uuid("id");
                                });
        return new Outcome<>(completed, counted.get(), freed);
    }

    /**
     * Members that were completed, and what starts because of it.
     *
     * @param started those that come after them and have what they need now
     */
    public record CompletedMembers(List<UUID> completed, List<StepBatch.Written> started) {}

    /**
     * Completes members whose fence holds, with all that follows from it, as far as one statement
     * can decide that.
     */
    CompletedMembers completeMembers(Jdbc db, @Nullable Long now) {
        var completed = new ArrayList<UUID>();
        var started = new ArrayList<StepBatch.Written>();
        ended(db.query("complete_members"), rows)
                .set("now", now)
                .each(
                        row -> {
                            var id = row.uuid("id");
                            if (row.bool("started")) {
                                started.add(
                                        new StepBatch.Written(
                                                id,
                                                row.intValue("lane"),
                                                true,
                                                Optional.ofNullable(row.longOrNull("fresh")),
                                                List.of()));
                            } else {
                                completed.add(id);
                            }
                        });
        return new CompletedMembers(completed, started);
    }

    /** Writes those whose fence holds and that are in no flow, and says which they are. */
    public Outcome<Written> write(Jdbc db, @Nullable Long now) {
        return write(db, now, false);
    }

    /** Writes those whose fence holds and that are members of flows that are locked. */
    public Outcome<Written> writeMembers(Jdbc tx, @Nullable Long now) {
        return write(tx, now, true);
    }

    private Outcome<Written> write(Jdbc db, @Nullable Long now, boolean members) {
        var freed = new HashSet<Integer>();
        var written =
                ended(db.query("end"), rows)
                        .set("now", now)
                        .set("members", members)
                        .texts("transitions", rows, row -> RowCodec.word(row.end.transition()))
                        .texts("situations", rows, row -> RowCodec.word(row.end.situation()))
                        .texts(
                                "nexts",
                                rows,
                                row -> row.end.next().map(RowCodec::word).orElse(null))
                        .longs("until_ats", rows, row -> RowCodec.at(row.end.until()))
                        .longs("until_afters", rows, row -> RowCodec.after(row.end.until()))
                        .texts(
                                "delayed_bys",
                                rows,
                                row -> row.end.delayedBy().map(RowCodec::word).orElse(null))
                        .texts(
                                "categories",
                                rows,
                                row -> row.end.failure().map(Failure::category).orElse(null))
                        .texts(
                                "messages",
                                rows,
                                row -> row.end.failure().map(Failure::message).orElse(null))
                        .texts(
                                "traces",
                                rows,
                                row -> row.end.failure().map(Failure::detail).orElse(null))
                        .set("inline", RowCodec.INLINE)
                        .list(
                                row -> {
                                    if (freed.isEmpty()) {
                                        freed.addAll(List.of(row.ints("freed")));
                                    }
                                    return new Written(
                                            row.uuid("id"),
                                            row.intValue("lane"),
                                            row.bool("ready"),
                                            RowCodec.time(row, "until"),
                                            row.bool("streamed"));
                                });
        return new Outcome<>(written, true, freed);
    }

    /** Wakes those who wait for what endings have led to, once they are committed. */
    static void tell(PostgresContext postgres, Outcome<Written> outcome) {
        var ready = new ReadyLanes();
        outcome.written.stream()
                .filter(Written::ready)
                .forEach(step -> ready.add(step.lane(), step.id()));
        postgres.goesOn(ready);
        postgres.freed(outcome.freed);
        postgres.streamed(
                outcome.written.stream().filter(Written::streamed).map(Written::id).toList());
    }

    /** What every statement is told that ends leases. */
    private static Query ended(Query query, List<Row> rows) {
        return FenceColumns.set(query, rows, row -> row.ending.fence())
                .bytes("digests", rows, row -> RowCodec.bytes(row.ending.digest()))
                .texts("types", rows, Row::type)
                .bytes("results", rows, Row::result);
    }
}
