package io.flowfabric.postgres.internal.maintenance;

import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Database;
import io.flowfabric.postgres.internal.jdbc.Jdbc;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * Removes gates and meters that no work needs any more: quotas with a key for each customer make
 * many.
 *
 * <p>Processes rely on the gates that they know. So gates are retired first, all at once: whoever
 * submits behind one of them has to announce that. When all have heard of it, those that nothing
 * refers to are removed. To find them every execution is looked at, so it is done only when as many
 * gates have been made as the last time were left.
 *
 * <p>Many engines may do this at once: each step is a no-op where another one has taken it.
 */
final class GateSweep {
    private static final Logger log = LoggerFactory.getLogger(GateSweep.class);

    /** Lanes are held only as long as it takes to remove so many of their gates. */
    private static final int CHUNK = 1000;

    private final PostgresContext postgres;

    GateSweep(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** A gate in a lane, by the generation of its last work. */
    private record Unused(int lane, int gate, long generation) {}

    private record Step(String word, @Nullable Long fence) {}

    void round() {
        var step =
                db().query("gate_sweep")
                        .one(row -> new Step(row.text("word"), row.longOrNull("fence")));
        switch (step.word) {
            case "retire" -> {
                db().query("retire_gates").update();
                db().query("fence_gates").update();
            }
            case "fence" -> db().query("fence_gates").update();
            case "remove" -> remove(Objects.requireNonNull(step.fence));
            default -> {
                // Few gates have been made, or somebody may not have heard yet.
            }
        }
    }

    private void remove(long fence) {
        var unused =
                db().query("unused_gates")
                        .set("fence", fence)
                        .list(
                                row ->
                                        new Unused(
                                                row.intValue("lane"),
                                                row.intValue("gate"),
                                                row.longValue("generation")));
        inChunks(unused, this::removeFromLanes);
        int gates = inChunks(numbers("gates_without_lane"), this::removeGates);
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

    private int removeFromLanes(Jdbc tx, List<Unused> unused) {
        var lanes =
                Set.copyOf(
                        tx.query("hold_free_lanes")
                                .ints("ids", unused, Unused::lane)
                                .list(row -> row.intValue("id")));
        var held = unused.stream().filter(gate -> lanes.contains(gate.lane)).toList();
        int removed =
                tx.query("remove_lane_gates")
                        .ints("lanes", held, Unused::lane)
                        .ints("gates", held, Unused::gate)
                        .longs("generations", held, Unused::generation)
                        .update();
        tx.query("remove_lane_meters").ints("lanes", lanes, lane -> lane).update();
        return removed;
    }

    private int removeGates(Jdbc tx, List<Integer> gates) {
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

    private <T> int inChunks(List<T> all, Removal<T> removal) {
        int removed = 0;
        for (int from = 0; from < all.size(); from += CHUNK) {
            var chunk = all.subList(from, Math.min(from + CHUNK, all.size()));
            removed += db().transaction(tx -> removal.of(tx, chunk));
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
