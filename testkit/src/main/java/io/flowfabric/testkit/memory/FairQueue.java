package io.flowfabric.testkit.memory;

import io.flowfabric.core.Lane;

import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.Map;
import java.util.OptionalLong;
import java.util.Set;

/**
 * In which round fresh work goes, in lanes where keys take turns.
 *
 * <p>Rounds are those of start-time fair queueing: work goes in the round after the one that its
 * key was given last, but in none that is over. So a key has one piece in each round for as long as
 * it has any, a new key joins the round that is on, and one that had nothing to do has saved up
 * nothing. A piece that left without being started, as cancelled work does, gives its round back if
 * its key has none later.
 *
 * <p>Work is placed when it has become ready, not when it was submitted: what was delayed would
 * come with the places of long ago. A commit places at its end, after everything that it takes
 * away.
 */
final class FairQueue {
    private static final long FIRST_ROUND = 1;

    private final MemoryState world;
    private final Map<Queue, Long> reached = new HashMap<>();
    private final Map<Share, Long> given = new HashMap<>();
    private final Set<MemoryExecution> unplaced = new LinkedHashSet<>();

    private record Queue(Lane lane, int priority) {}

    /** Work without a key shares the empty one. */
    private record Share(Queue queue, String key) {}

    FairQueue(MemoryState world) {
        this.world = world;
    }

    /** Takes note of what has become of a row; fresh work needs a place anew. */
    void changed(MemoryExecution row) {
        unplaced.remove(row);
        row.round = 0;
        if (row.fresh() && world.lanes.settings(row.lane()).sharing()) {
            unplaced.add(row);
        }
    }

    /** A claim takes it: its round is on, or over. */
    void started(MemoryExecution row) {
        if (row.round > 0) {
            reached.merge(queue(row), row.round, Math::max);
        }
    }

    /** A lane begins to share, or does so no longer. */
    void beginAnew(Lane lane) {
        reached.keySet().removeIf(queue -> queue.lane.equals(lane));
        given.keySet().removeIf(share -> share.queue.lane.equals(lane));
        world.executions.rows().stream()
                .filter(row -> row.lane().equals(lane))
                .filter(MemoryExecution::fresh)
                .forEach(this::changed);
    }

    /** Gives a round to everything that waits for one. */
    void place() {
        var latest = new HashMap<Share, OptionalLong>();
        for (MemoryExecution row : unplaced) {
            var share = share(row);
            var last = latest.computeIfAbsent(share, this::latest);
            long on = reached.getOrDefault(share.queue, FIRST_ROUND);
            row.round = last.isEmpty() ? on : Math.max(on, last.getAsLong() + 1);
            latest.put(share, OptionalLong.of(row.round));
            given.put(share, row.round);
        }
        unplaced.clear();
    }

    /** The last round of a key: one that was started from, or that its work still waits for. */
    private OptionalLong latest(Share share) {
        var last = given.get(share);
        if (last == null) {
            return OptionalLong.empty();
        }
        long waits =
                world.executions.rows().stream()
                        .filter(row -> row.round > 0 && row.fresh())
                        .filter(row -> share(row).equals(share))
                        .mapToLong(row -> row.round)
                        .max()
                        .orElse(0);
        long on = reached.getOrDefault(share.queue, FIRST_ROUND);
        return OptionalLong.of(Math.min(last, Math.max(on, waits)));
    }

    private static Share share(MemoryExecution row) {
        return new Share(queue(row), row.policy().share().orElse(""));
    }

    private static Queue queue(MemoryExecution row) {
        return new Queue(row.lane(), row.priority);
    }
}
