package io.flowfabric.postgres.internal.step;

import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Failures;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/**
 * What ended executions leave in other tables than their own. Where it is too much for one
 * statement, frames and signals are deleted before the execution itself, in portions: the server
 * cuts off what takes too long, and then nothing of it was done.
 *
 * <p>One that is replayed between two portions goes on without what was deleted. Nobody was
 * promised it any more, and what a replay needs, its steps, goes with the execution alone.
 */
public final class Remnants {
    /** How many rows one statement deletes at most, if it can: a second, on a slow disk a few. */
    public static final int ROOM = 100_000;

    private final PostgresContext postgres;

    public Remnants(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /**
     * How much there is to delete with an execution, in rows.
     *
     * @param changed when the execution ended
     * @param loose what can be deleted before it
     */
    public record Weight(UUID id, long changed, long fixed, long loose) {
        public long rows() {
            return fixed + loose;
        }
    }

    /** What is known of these executions; of some that are gone, nothing. */
    public Map<UUID, Weight> weights(List<UUID> ids) {
        var weights = new HashMap<UUID, Weight>();
        postgres.db()
                .query("weigh")
                .uuids("ids", ids, id -> id)
                .each(
                        row -> {
                            var id = row.uuid("id");
                            weights.put(
                                    id,
                                    new Weight(
                                            id,
                                            row.longValue("changed"),
                                            row.longValue("fixed"),
                                            row.longValue("loose")));
                        });
        return weights;
    }

    /**
     * Deletes a portion of the frames or signals of an execution that ended at this moment, and
     * says whether there was something.
     *
     * @param room how much one statement may delete
     */
    public boolean thin(UUID id, long changed, int room) {
        return thin("thin_frames", id, changed, room) || thin("thin_signals", id, changed, room);
    }

    /** Deletes all of them, in portions as large as the server lets us. */
    public void thinOut(UUID id, long changed) {
        int room = ROOM;
        for (boolean more = true; more; ) {
            try {
                more = thin(id, changed, room);
            } catch (RuntimeException e) {
                if (room == 1 || !Failures.cutOff(e)) {
                    throw e;
                }
                room /= 2;
            }
        }
    }

    private boolean thin(String statement, UUID id, long changed, int room) {
        return postgres.db()
                        .query(statement)
                        .set("id", id)
                        .set("changed", changed)
                        .set("room", room)
                        .one(row -> row.longValue("gone"))
                > 0;
    }
}
