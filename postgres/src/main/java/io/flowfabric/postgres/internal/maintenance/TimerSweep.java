package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.decision.Timer;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.StepBatch;
import io.flowfabric.postgres.internal.step.SweepBatches;
import io.flowfabric.postgres.internal.step.SweepBatches.Done;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * What is done to executions when a timer of theirs is due.
 *
 * <p>Due timers are looked at without a lock; then the rows are locked, passing over those that
 * another transaction has locked, and what is still due is done. So many engines can do this at
 * once, nothing is done twice, and rows are always locked before their timers.
 */
final class TimerSweep {
    private static final Logger log = LoggerFactory.getLogger(TimerSweep.class);
    private static final UUID FIRST = new UUID(0, 0);

    /** When to look again at what could not be read. */
    private static final Duration LATER = Duration.ofMinutes(1);

    /** When newer programs may have looked at what only they can read. */
    private static final Duration SOON = Duration.ofSeconds(2);

    /** A round puts off no more of that, for each kind of timer: there may be very much of it. */
    private static final int MOST_LEFT = 10 * PostgresMaintenance.AT_ONCE;

    private final PostgresContext postgres;
    private final SweepBatches batches;

    TimerSweep(PostgresContext postgres, SweepBatches batches) {
        this.postgres = postgres;
        this.batches = batches;
    }

    private record Due(long at, UUID id) {}

    /**
     * A kind of timer of which something was due at a moment.
     *
     * @param first when the first of them was due
     */
    private record DueKind(Timer timer, long first, long now) {}

    /**
     * What was done.
     *
     * @param unsettled whether something was left to be done in a flow before
     */
    record Rung(Done done, boolean unsettled) {}

    /** Does what is due of every kind of timer: no more than so much. */
    Rung round(int limit) {
        var unsettled = new AtomicBoolean();
        var done = Done.NOTHING;
        for (var kind : dueKinds(unsettled)) {
            done = done.and(ring(kind, limit - done.processed()));
        }
        return new Rung(done, unsettled.get());
    }

    /** The kinds of which something is due, in their order. */
    private List<DueKind> dueKinds(AtomicBoolean unsettled) {
        var look = postgres.timers().look();
        var kinds = new ArrayList<DueKind>();
        long now =
                postgres.db()
                        .query("first_due")
                        .set("now", postgres.now())
                        .set("from", look.from())
                        .list(
                                row -> {
                                    addDueKind(kinds, row);
                                    unsettled.set(row.bool("unsettled"));
                                    return row.longValue("now");
                                })
                        .getFirst();
        postgres.timers()
                .saw(look, now, kinds.stream().map(DueKind::first).min(Long::compare).orElse(null));
        kinds.sort(Comparator.comparing(DueKind::timer));
        return kinds;
    }

    private static void addDueKind(List<DueKind> kinds, Row row) {
        var first = row.longOrNull("due");
        if (first != null) {
            var timer = RowCodec.known(Timer.class, row.text("kind")).orElseThrow();
            kinds.add(new DueKind(timer, first, row.longValue("now")));
        }
    }

    /**
     * Does what was due at one moment: what is put off meanwhile would otherwise be due again
     * before the last page, and the round would not end.
     */
    private Done ring(DueKind kind, int limit) {
        var done = Done.NOTHING;
        var timer = kind.timer;
        var last = new Due(kind.first, FIRST);
        for (boolean more = true; more && done.processed() < limit && done.left() < MOST_LEFT; ) {
            int page = Math.min(limit - done.processed(), PostgresMaintenance.AT_ONCE);
            var due = due(timer, kind.now, last, page);
            var soon = soon(done.left());
            done =
                    done.and(
                            batches.through(
                                    "timers " + timer,
                                    due.stream().map(Due::id).toList(),
                                    (tx, ids, locked) -> ring(tx, timer, soon, ids, locked),
                                    bad -> putOff(timer, bad)));
            more = due.size() == page;
            last = due.isEmpty() ? last : due.getLast();
        }
        return done;
    }

    /** The more there is that only newer programs can read, the later it is looked at again. */
    private static Duration soon(int left) {
        var doubled = SOON.multipliedBy(1L << (left / PostgresMaintenance.AT_ONCE));
        return doubled.compareTo(LATER) < 0 ? doubled : LATER;
    }

    private List<Due> due(Timer timer, long now, Due after, int limit) {
        return postgres.db()
                .query("due")
                .set("now", now)
                .set("kind", RowCodec.word(timer))
                .set("after_due", after.at)
                .set("after_id", after.id)
                .set("limit", limit)
                .list(row -> new Due(row.longValue("due"), row.uuid("id")));
    }

    private Done ring(
            Jdbc tx, Timer timer, Duration soon, List<UUID> due, Map<UUID, Locked> locked) {
        var steps = new StepBatch();
        var later = new HashMap<UUID, Instant>();
        var over = new ArrayList<UUID>();
        int errors = 0;
        int left = 0;
        for (UUID id : due) {
            var row = locked.get(id);
            if (row == null) {
                continue;
            }
            if (row.ofNewerProgram()) {
                later.put(id, row.now().plus(soon));
                left++;
                continue;
            }
            if (row.facts().isEmpty()) {
                log.error(
                        "The execution {} cannot be read; its timer {} is put off",
                        row.id(),
                        timer);
                later.put(id, row.now().plus(LATER));
                errors++;
                continue;
            }
            var facts = row.facts().get();
            var at = timer.due(facts);
            if (at.isEmpty()) {
                over.add(id);
            } else if (at.get().isAfter(row.now())) {
                later.put(id, at.get());
            } else {
                steps.add(timer.ring(facts, row.now()), facts);
            }
        }
        var done = batches.write(tx, steps, errors);
        rearm(tx, timer, later);
        over.addAll(missing(tx, due, locked));
        if (!over.isEmpty()) {
            tx.query("disarm")
                    .set("kind", RowCodec.word(timer))
                    .uuids("ids", over, id -> id)
                    .update();
        }
        return done.leaving(left);
    }

    /** Those whose execution has been forgotten since. */
    private static List<UUID> missing(Jdbc tx, List<UUID> due, Map<UUID, Locked> locked) {
        var unseen = due.stream().filter(id -> !locked.containsKey(id)).toList();
        return unseen.isEmpty()
                ? List.of()
                : tx.query("unknown").uuids("ids", unseen, id -> id).list(row -> row.uuid("id"));
    }

    private void putOff(Timer timer, UUID execution) {
        var later = Instant.ofEpochMilli(postgres.time()).plus(LATER);
        rearm(postgres.db(), timer, Map.of(execution, later));
    }

    private static void rearm(Jdbc on, Timer timer, Map<UUID, Instant> later) {
        if (!later.isEmpty()) {
            var entries = List.copyOf(later.entrySet());
            on.query("rearm")
                    .set("kind", RowCodec.word(timer))
                    .uuids("ids", entries, Map.Entry::getKey)
                    .longs("dues", entries, entry -> entry.getValue().toEpochMilli())
                    .update();
        }
    }
}
