package io.flowfabric.postgres;

import io.flowfabric.core.Lane;
import io.flowfabric.postgres.jdbc.Database;

import org.jspecify.annotations.Nullable;

import java.time.InstantSource;
import java.util.Collection;
import java.util.Objects;
import java.util.Optional;

/**
 * What every part of the store works with.
 *
 * @param clock whose time counts; none means the server's, and only tests bring another
 */
record Postgres(Database db, Catalog catalog, Waking waking, Optional<InstantSource> clock) {
    /** The moment to bind as {@code :now}: null lets the server's clock decide. */
    @Nullable Long now() {
        return clock.map(InstantSource::millis).orElse(null);
    }

    /** The moment by the clock that decides, for what is computed beside the store. */
    long time() {
        return clock.map(InstantSource::millis)
                .orElseGet(
                        () ->
                                db.query("clock")
                                        .set("now", (Long) null)
                                        .one(row -> row.longValue("now")));
    }

    /** Lets those know who wait for work in these lanes. Call it once the work is committed. */
    void wake(Collection<Integer> lanes) {
        if (!lanes.isEmpty()) {
            catalog.loadLanes(db, lanes);
            lanes.forEach(lane -> waking.wake(catalog.lane(lane)));
        }
    }

    int lane(Lane lane) {
        return Objects.requireNonNull(
                catalog.lane(lane), () -> "the lane %s is not registered".formatted(lane));
    }
}
