package io.flowfabric.postgres.internal;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.signing.KeyWrapping;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.DueFloor;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;
import io.flowfabric.postgres.internal.ready.PostgresWakeups;
import io.flowfabric.postgres.internal.ready.ReadyLanes;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.function.IntFunction;

/**
 * What every part of the store works with.
 *
 * @param wrapping what protects the secrets of signing keys, if anything does
 * @param clock whose time counts; none means the server's, and only tests bring another
 */
public record PostgresContext(
        Database db,
        Catalog catalog,
        LowWaterMarks marks,
        CrowdedLanes crowds,
        DueFloor timers,
        PostgresWakeups waking,
        Optional<KeyWrapping> wrapping,
        Optional<InstantSource> clock) {
    private static final Logger log = LoggerFactory.getLogger(PostgresContext.class);

    /** The moment to bind as {@code :now}: null lets the server's clock decide. */
    public @Nullable Long now() {
        return clock.map(InstantSource::millis).orElse(null);
    }

    /** The moment by the clock that decides, for what is computed beside the store. */
    public long time() {
        return time(db);
    }

    /** The same, asked for on a connection that the caller has. */
    public long time(Jdbc on) {
        return clock.map(InstantSource::millis)
                .orElseGet(
                        () ->
                                on.query("clock")
                                        .set("now", (Long) null)
                                        .one(row -> row.longValue("now")));
    }

    /** Forgets what was remembered of the data, which may be that of another time. */
    public void forgetAll() {
        catalog.forgetAll();
        marks.forgetAll();
        crowds.forgetAll();
        timers.forget();
    }

    /**
     * Lets those know who wait for work in these lanes: it was submitted, with numbers from these
     * on. Call this, like the others, once the work is committed.
     *
     * @param ids of all that was accepted, also of what is not ready yet
     */
    public void submitted(Map<Integer, Long> lanes, Set<UUID> ids) {
        lanes.forEach(marks::queued);
        boolean one = lanes.size() == 1 && ids.size() == 1;
        goesOn(
                one
                        ? ReadyLanes.of(lanes.keySet().iterator().next(), ids.iterator().next())
                        : ReadyLanes.uncounted(lanes.keySet()));
    }

    /** Wakes waiters in lanes whose work goes on. */
    public void goesOn(ReadyLanes ready) {
        crowds.queued(ready.numbers());
        wake(ready, lane -> PostgresWakeups.Order.KEPT);
    }

    /**
     * Wakes waiters in lanes whose work became ready out of its turn. What was begun before is
     * never behind a low-water mark; of what was not the lowest number is known, and marks are
     * moved before it.
     */
    public void returned(ReadyLanes ready) {
        for (int lane : ready.numbers()) {
            ready.firstFresh(lane).ifPresent(seq -> marks.queued(lane, seq));
        }
        crowds.queued(ready.numbers());
        wake(
                ready,
                lane ->
                        ready.firstFresh(lane).isPresent()
                                ? PostgresWakeups.Order.BROKEN
                                : PostgresWakeups.Order.KEPT);
    }

    /**
     * Wakes waiters in lanes whose work may stand anywhere before what was already claimed, and
     * forgets the low-water marks.
     */
    public void requeued(ReadyLanes ready) {
        if (!ready.numbers().isEmpty()) {
            marks.forgetAll();
            crowds.queued(ready.numbers());
            wake(ready, lane -> PostgresWakeups.Order.BROKEN);
        }
    }

    /** Wakes waiters in every lane where work waits behind these meters. */
    public void freed(Collection<Integer> meters) {
        if (!meters.isEmpty()) {
            crowds.freed(meters);
            hint(
                    () -> {
                        var lanes =
                                db.query("lanes_behind")
                                        .ints("meters", meters, meter -> meter)
                                        .list(row -> row.intValue("lane"));
                        wake(ReadyLanes.uncounted(lanes), lane -> PostgresWakeups.Order.KEPT);
                    });
        }
    }

    /** Lets sessions know that work was taken from them, wherever they are. */
    public void lost(Collection<SessionId> sessions) {
        hint(() -> sessions.forEach(waking::lost));
    }

    /** Lets readers know that streams of these executions went on, or may be closed. */
    public void streamed(Collection<UUID> executions) {
        hint(() -> executions.forEach(waking::streamed));
    }

    private void wake(ReadyLanes ready, IntFunction<PostgresWakeups.Order> order) {
        var lanes = ready.numbers();
        if (!lanes.isEmpty()) {
            hint(
                    () -> {
                        var named = catalog.lanes().byNumber(db, lanes);
                        lanes.forEach(
                                lane ->
                                        waking.wake(
                                                named.lane(lane),
                                                ready.only(lane),
                                                order.apply(lane)));
                    });
        }
    }

    /** What was done is committed, and who is not woken looks by itself: so this fails nothing. */
    private static void hint(Runnable call) {
        try {
            call.run();
        } catch (RuntimeException failure) {
            log.warn("Work is ready, and those who wait for it could not be woken", failure);
        }
    }
}
