package io.flowfabric.postgres.internal;

import io.flowfabric.core.SessionId;
import io.flowfabric.postgres.KeyWrapping;
import io.flowfabric.postgres.internal.catalog.Catalog;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.CrowdedLanes;
import io.flowfabric.postgres.internal.ready.DueFloor;
import io.flowfabric.postgres.internal.ready.LowWaterMarks;
import io.flowfabric.postgres.internal.ready.PostgresWakeups;
import io.flowfabric.postgres.internal.ready.QueueOrder;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;
import java.util.Collection;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
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
     */
    public void submitted(Map<Integer, Long> lanes) {
        lanes.forEach(marks::queued);
        crowds.queued(lanes.keySet());
        wake(lanes.keySet(), lane -> QueueOrder.KEPT);
    }

    /** Wakes waiters in lanes whose work goes on. */
    public void goesOn(Collection<Integer> lanes) {
        crowds.queued(lanes);
        wake(lanes, lane -> QueueOrder.KEPT);
    }

    /**
     * Wakes waiters in lanes whose work became ready out of its turn.
     *
     * @param lanes with the lowest number of the work that was not begun yet, or {@link
     *     Long#MAX_VALUE} if there is none
     */
    public void returned(Map<Integer, Long> lanes) {
        lanes.forEach(marks::queued);
        crowds.queued(lanes.keySet());
        wake(
                lanes.keySet(),
                lane -> QueueOrder.brokenFrom(lane, Objects.requireNonNull(lanes.get(lane))));
    }

    /**
     * Wakes waiters in lanes whose work may stand anywhere before what was already claimed, and
     * forgets the low-water marks.
     */
    public void requeued(Collection<Integer> lanes) {
        if (!lanes.isEmpty()) {
            marks.forgetAll();
            crowds.queued(lanes);
            wake(lanes, lane -> QueueOrder.BROKEN);
        }
    }

    /** Wakes waiters in every lane where work waits behind these meters. */
    public void freed(Collection<Integer> meters) {
        if (!meters.isEmpty()) {
            crowds.freed(meters);
            wake(
                    db.query("lanes_behind")
                            .ints("meters", meters, meter -> meter)
                            .list(row -> row.intValue("lane")),
                    lane -> QueueOrder.KEPT);
        }
    }

    /** Lets sessions know that work was taken from them, wherever they are. */
    public void lost(Collection<SessionId> sessions) {
        sessions.forEach(waking::lost);
    }

    private void wake(Collection<Integer> lanes, IntFunction<QueueOrder> order) {
        if (!lanes.isEmpty()) {
            catalog.lanes().load(db, lanes);
            lanes.forEach(lane -> waking.wake(catalog.lanes().lane(lane), order.apply(lane)));
        }
    }
}
