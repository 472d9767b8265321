package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.Contended;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Brings what waits in a lane to the places that its settings give it, after they have changed.
 *
 * <p>It is done in pieces, each a commit of its own, and claims go on meanwhile. The lane remembers
 * that it is to be done until a whole pass has found nothing to move which began after every
 * transaction was over that had begun before the change: those may queue work in places of before.
 */
public final class LaneRanks {
    private static final Logger log = LoggerFactory.getLogger(LaneRanks.class);

    /** How much is looked at, and moved, at once. */
    private static final int PIECE = 2000;

    /** How long the call that changes a lane moves its work itself; sweeps move the rest. */
    private static final long OWN_SHARE = Duration.ofSeconds(5).toNanos();

    /** How often sweeps look for lanes that were changed. */
    private static final long EVERY = Duration.ofSeconds(5).toNanos();

    private final PostgresContext postgres;

    /** Which change of a lane a pass was made for before everything could be seen. */
    private final Map<Integer, String> passed = new HashMap<>();

    private long looked = System.nanoTime() - 2 * EVERY;

    public LaneRanks(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /**
     * A lane in which work may be out of place.
     *
     * @param by the transaction that changed it
     * @param settled whether every transaction is over that may not have seen the change
     */
    private record ToRank(int lane, String by, boolean settled) {}

    private record Place(long submitted, long seq, UUID id, boolean misplaced) {}

    /** Moves what waits in a lane whose settings have just been changed: all, or a good deal. */
    void rank(int lane) {
        try {
            for (var changed : toRank(lane)) {
                pass(changed, System.nanoTime() + OWN_SHARE);
            }
        } catch (Contended held) {
            // The settings are changed, although another holds what waits: sweeps move the rest.
            log.debug("What waits in the lane {} is held by another; later", lane, held);
        }
    }

    /** Goes on where others have left off, and once more where work was queued meanwhile. */
    public synchronized void sweep() {
        long now = System.nanoTime();
        if (now - looked < EVERY) {
            return;
        }
        looked = now;
        for (var changed : toRank(null)) {
            if (changed.settled || !changed.by.equals(passed.get(changed.lane))) {
                pass(changed, now + OWN_SHARE);
            }
        }
    }

    private List<ToRank> toRank(@Nullable Integer lane) {
        return postgres.db()
                .query("lanes_to_rank")
                .set("lane", lane)
                .list(
                        row ->
                                new ToRank(
                                        row.intValue("id"),
                                        row.text("ranked_by"),
                                        row.bool("settled")));
    }

    private void pass(ToRank changed, long end) {
        boolean whole = true;
        var last = new Place(Long.MIN_VALUE, 0, new UUID(0, 0), false);
        List<Place> places;
        do {
            if (System.nanoTime() > end) {
                return;
            }
            places = places(changed.lane, last);
            var misplaced = places.stream().filter(Place::misplaced).map(Place::id).toList();
            if (!misplaced.isEmpty()) {
                int moved = postgres.db().transaction(tx -> move(tx, misplaced));
                postgres.requeued(Set.of(changed.lane));
                whole &= moved == misplaced.size();
            }
            last = places.isEmpty() ? last : places.getLast();
        } while (places.size() == PIECE);
        if (whole && changed.settled) {
            passed.remove(changed.lane);
            postgres.db()
                    .query("ranked")
                    .set("lane", changed.lane)
                    .set("ranked_by", changed.by)
                    .update();
        } else if (whole) {
            passed.put(changed.lane, changed.by);
        }
    }

    private List<Place> places(int lane, Place after) {
        return postgres.db()
                .query("places_in")
                .set("lane", lane)
                .set("after_submitted", after.submitted)
                .set("after_seq", after.seq)
                .set("limit", PIECE)
                .list(
                        row ->
                                new Place(
                                        row.longValue("submitted"),
                                        row.longValue("seq"),
                                        row.uuid("id"),
                                        row.bool("misplaced")));
    }

    /** Moves some, in the order of submission, and says how many. */
    private static int move(Jdbc tx, List<UUID> misplaced) {
        var moved = new HashSet<UUID>();
        var needRounds = new HashSet<UUID>();
        tx.query("rank_anew")
                .uuids("ids", misplaced, id -> id)
                .each(
                        row -> {
                            moved.add(row.uuid("id"));
                            if (row.bool("needs_round")) {
                                needRounds.add(row.uuid("id"));
                            }
                        });
        StepBatch.place(tx, misplaced.stream().filter(needRounds::contains).toList());
        return moved.size();
    }
}
