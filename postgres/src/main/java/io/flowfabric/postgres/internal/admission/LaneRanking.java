package io.flowfabric.postgres.internal.admission;

import static java.util.stream.Collectors.toSet;

import io.flowfabric.core.Contended;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.ready.ReadyLanes;
import io.flowfabric.postgres.internal.step.StepBatch;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;

/**
 * Brings what waits in a lane to the places that its settings give it, after they have changed.
 *
 * <p>It is done in pieces, each a commit of its own, and claims go on meanwhile. The lane remembers
 * that it is to be done until a {@link RankPass} has found everything in place that began when no
 * transaction was left that may have read the settings of before.
 *
 * <p>A transaction has read them by a snapshot that does not show the change, and may have a number
 * of its own since. So first no such snapshot may be left; then a number is drawn, and once every
 * smaller one is over, the lane is settled.
 */
final class LaneRanking {
    private static final Logger log = LoggerFactory.getLogger(LaneRanking.class);

    /** How much is looked at, and moved, at once. */
    private static final int PIECE = 1000;

    /** How long the call that changes a lane moves its work itself; sweeps move the rest. */
    private static final long OWN_SHARE = Duration.ofSeconds(5).toNanos();

    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final PostgresContext postgres;

    LaneRanking(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Which transactions have a snapshot from before a change. */
    enum Unaware {
        NONE,
        SOME,
        /** Users are connected whose snapshots ours may not see. */
        HIDDEN
    }

    /**
     * A lane in which work may be out of place.
     *
     * @param by the transaction that changed it
     */
    record Changed(int lane, String by, Unaware unaware) {}

    /** How far a pass has come, in the order of submission. */
    record Position(long submitted, long seq) {
        static final Position START = new Position(Long.MIN_VALUE, 0);
    }

    /**
     * A piece of what waits in a lane.
     *
     * @param last where it ends
     * @param more whether more may wait behind it
     * @param inPlace whether everything in it is where it belongs, by now
     */
    record Piece(Position last, boolean more, boolean inPlace) {}

    private record Place(Position position, UUID id, boolean misplaced) {}

    /** Moves what waits in a lane whose settings have just been changed: all, or a good deal. */
    void rank(int lane) {
        try {
            for (var changed : changed(lane)) {
                long end = System.nanoTime() + OWN_SHARE;
                boolean settled = changed.unaware == Unaware.NONE && allBeforeAreOver(number());
                var pass = new RankPass(this, changed, settled);
                boolean more;
                do {
                    more = pass.takePiece();
                } while (more && System.nanoTime() - end < 0);
            }
        } catch (Contended held) {
            // The settings are changed, although another holds what waits: sweeps move the rest.
            log.debug("What waits in the lane {} is held by another; later", lane, held);
        }
    }

    /** The lanes in which work may be out of place: all of them, or this one if it is. */
    List<Changed> changed(@Nullable Integer lane) {
        return postgres.db()
                .query("lanes_to_rank")
                .set("lane", lane)
                .list(
                        row ->
                                new Changed(
                                        row.intValue("id"),
                                        row.text("ranked_by"),
                                        Unaware.valueOf(
                                                row.text("unaware").toUpperCase(Locale.ROOT))));
    }

    /** Draws a number above those of all transactions that have one. */
    String number() {
        return postgres.db().query("newest_number").one(row -> row.text("number"));
    }

    /** Whether all transactions are over that had a number before this one was drawn. */
    boolean allBeforeAreOver(String number) {
        return postgres.db()
                .query("all_before_are_over")
                .set("number", number)
                .one(row -> row.bool("over"));
    }

    /**
     * Moves what is out of place in the next piece.
     *
     * @throws Contended when another process moves what waits in this lane, or holds turns of it
     */
    Piece rank(int lane, Position after) {
        var places = places(lane, after);
        var misplaced = places.stream().filter(Place::misplaced).map(Place::id).toList();
        boolean inPlace = true;
        if (!misplaced.isEmpty()) {
            int moved = postgres.db().transaction(tx -> move(tx, lane, misplaced));
            postgres.requeued(ReadyLanes.uncounted(Set.of(lane)));
            inPlace = moved == misplaced.size();
        }
        return places.isEmpty()
                ? new Piece(after, false, true)
                : new Piece(places.getLast().position, places.size() == PIECE, inPlace);
    }

    private List<Place> places(int lane, Position after) {
        return postgres.db()
                .query("places_in")
                .set("lane", lane)
                .set("after_submitted", after.submitted)
                .set("after_seq", after.seq)
                .set("limit", PIECE)
                .list(
                        row ->
                                new Place(
                                        new Position(
                                                row.longValue("submitted"), row.longValue("seq")),
                                        row.uuid("id"),
                                        row.bool("misplaced")));
    }

    /** Moves those that are still out of place, in the order of submission, and says how many. */
    private static int move(Jdbc tx, int lane, List<UUID> misplaced) {
        tx.query("patience_of_sweeps").run();
        if (!tx.query("take_lane_to_rank").set("lane", lane).one(row -> row.bool("taken"))) {
            throw new Contended("the places in lane number " + lane, RETRY_AFTER);
        }
        var waiting =
                tx.query("lock_waiting")
                        .uuids("ids", misplaced, id -> id)
                        .list(row -> row.uuid("id"));
        record Moved(UUID id, boolean needsRound) {}
        var moved =
                tx.query("rank_anew")
                        .uuids("ids", waiting, id -> id)
                        .list(row -> new Moved(row.uuid("id"), row.bool("needs_round")));
        var roundless = moved.stream().filter(Moved::needsRound).map(Moved::id).collect(toSet());
        StepBatch.place(tx, misplaced.stream().filter(roundless::contains).toList());
        return moved.size();
    }

    /** Notes that everything in a lane is in place, unless it was changed again. */
    void finish(Changed changed) {
        postgres.db()
                .query("ranked")
                .set("lane", changed.lane)
                .set("ranked_by", changed.by)
                .update();
    }
}
