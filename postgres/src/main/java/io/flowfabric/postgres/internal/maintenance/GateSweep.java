package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.core.Contended;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;

/**
 * Removes gates and meters that no work needs any more: quotas with a key for each customer make
 * many.
 *
 * <p>Processes rely on the gates that they know. So gates are retired first: whoever submits behind
 * one of them has to announce that. When nobody is left who has not seen it, those that nothing
 * refers to are removed. To find them every execution is looked at, so it is done only when as many
 * gates have been made as the last time were left.
 *
 * <p>Each round takes one step, if it is time for it. Many engines may try at once: a step is taken
 * by one of them, and can be taken again when it dies.
 */
final class GateSweep {
    private static final Logger log = LoggerFactory.getLogger(GateSweep.class);

    /** Lanes are held only as long as it takes to remove so many of their gates. */
    private static final int CHUNK = 1000;

    /** How long an engine may take to remove gates before another one does. */
    private static final Duration TURN = Duration.ofMinutes(15);

    private final PostgresContext postgres;
    private volatile boolean told;

    GateSweep(PostgresContext postgres) {
        this.postgres = postgres;
    }

    private record Step(String word, @Nullable Long fence) {}

    /** A gate in a lane, by the generation of its last work. */
    private record Unused(int lane, int gate, long generation) {}

    void round() {
        var step =
                db().query("gate_sweep")
                        .set("now", postgres.now())
                        .one(row -> new Step(row.text("word"), row.longOrNull("fence")));
        switch (step.word) {
            case "retire" -> retire();
            case "fence" -> db().query("fence_gates").update();
            case "hear" -> db().query("gates_heard").set("fence", step.fence).update();
            case "remove" -> remove(Objects.requireNonNull(step.fence));
            case "blind" -> {
                if (!told) {
                    told = true;
                    log.warn(
                            "Gates without work are not removed while other users who may use the"
                                    + " schema are connected, for what they do is hidden from"
                                    + " ours: grant it pg_read_all_stats");
                }
            }
            default -> {
                // Few gates have been made, or somebody may not have seen yet.
            }
        }
    }

    private void retire() {
        for (int lane : numbers("lanes_to_retire")) {
            try {
                if (!db().transaction(tx -> retire(tx, lane))) {
                    return;
                }
            } catch (Contended busy) {
                log.debug("Gates of lane number {} are not retired: it gets new ones", lane, busy);
            }
        }
        db().query("gates_retired").update();
        db().query("fence_gates").update();
    }

    /** Says whether no other engine has come to the end of this step. */
    private static boolean retire(Jdbc tx, int lane) {
        tx.query("short_patience").run();
        if (tx.query("hold_gate_sweep").optional(row -> row.longValue("begins_at")).isEmpty()) {
            return false;
        }
        tx.query("retire_gates").set("lane", lane).update();
        return true;
    }

    private void remove(long fence) {
        int taken =
                db().query("take_gate_sweep")
                        .set("now", postgres.now())
                        .set("fence", fence)
                        .set("span", TURN.toMillis())
                        .update();
        if (taken == 0) {
            return;
        }
        var unused = db().transaction(tx -> unused(tx, fence));
        inChunks(unused, GateSweep::removeFromLanes);
        var lanes = new HashSet<Integer>();
        unused.forEach(gate -> lanes.add(gate.lane));
        lanes.forEach(lane -> inChunks(List.of(lane), GateSweep::removeMetersFromLane));
        int gates = inChunks(numbers("gates_without_lane"), GateSweep::removeGates);
        var idle =
                db().query("meters_without_lane")
                        .set("now", postgres.now())
                        .list(row -> row.intValue("id"));
        int meters = inChunks(idle, this::removeMeters);
        db().query("end_gate_sweep").set("fence", fence).update();
        if (gates > 0) {
            log.info("Removed {} gates and {} meters that had no work", gates, meters);
        }
    }

    private static List<Unused> unused(Jdbc tx, long fence) {
        tx.query("long_patience").run();
        return tx.query("unused_gates")
                .set("fence", fence)
                .list(
                        row ->
                                new Unused(
                                        row.intValue("lane"),
                                        row.intValue("gate"),
                                        row.longValue("generation")));
    }

    private static int removeFromLanes(Jdbc tx, List<Unused> unused) {
        hold(tx, unused.stream().map(Unused::lane).toList());
        return tx.query("remove_lane_gates")
                .ints("lanes", unused, Unused::lane)
                .ints("gates", unused, Unused::gate)
                .longs("generations", unused, Unused::generation)
                .update();
    }

    private static int removeMetersFromLane(Jdbc tx, List<Integer> lane) {
        hold(tx, lane);
        return tx.query("remove_lane_meters").set("lane", lane.getFirst()).update();
    }

    private static void hold(Jdbc tx, List<Integer> lanes) {
        tx.query("short_patience").run();
        tx.query("hold_lanes").ints("ids", lanes, lane -> lane).list(row -> row.intValue("id"));
    }

    private static int removeGates(Jdbc tx, List<Integer> gates) {
        var locked =
                tx.query("lock_free_gates")
                        .ints("ids", gates, gate -> gate)
                        .list(row -> row.intValue("id"));
        return tx.query("remove_gates").ints("ids", locked, gate -> gate).update();
    }

    private int removeMeters(Jdbc tx, List<Integer> meters) {
        var locked =
                tx.query("lock_free_meters")
                        .ints("ids", meters, meter -> meter)
                        .list(row -> row.intValue("id"));
        return tx.query("remove_meters")
                .set("now", postgres.now())
                .ints("ids", locked, meter -> meter)
                .update();
    }

    /** Removes some of those that it is given, in one transaction, and says how many. */
    @FunctionalInterface
    private interface Removal<T> {
        int of(Jdbc tx, List<T> some);
    }

    /** Those that are in use right now stay until the next sweep. */
    private <T> int inChunks(List<T> all, Removal<T> removal) {
        int removed = 0;
        for (int from = 0; from < all.size(); from += CHUNK) {
            var chunk = all.subList(from, Math.min(from + CHUNK, all.size()));
            try {
                removed += db().transaction(tx -> removal.of(tx, chunk));
            } catch (Contended busy) {
                log.debug("{} of what has no work are left for later", chunk.size(), busy);
            }
        }
        return removed;
    }

    private List<Integer> numbers(String statement) {
        return db().query(statement).list(row -> row.intValue("id"));
    }

    private Database db() {
        return postgres.db();
    }
}
