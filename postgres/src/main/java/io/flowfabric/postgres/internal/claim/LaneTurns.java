package io.flowfabric.postgres.internal.claim;

import java.util.HashMap;
import java.util.Map;

/**
 * Whose turn it is among the lanes: each pick moves a lane on by a step that is the smaller the
 * heavier the lane is. Each process keeps it for itself, so that sharing costs no write.
 */
final class LaneTurns {
    private final Map<Integer, Double> lanes = new HashMap<>();
    private double pass;

    /** Where the lanes stand that are ahead of the others, and where those are. */
    record Starts(double pass, Map<Integer, Double> lanes) {}

    synchronized Starts starts() {
        // A lane that fell behind while it was empty does not catch up.
        lanes.values().removeIf(start -> start <= pass);
        return new Starts(pass, Map.copyOf(lanes));
    }

    synchronized void taken(int lane, double turn, int weight) {
        pass = Math.max(pass, turn);
        lanes.merge(lane, turn + 1.0 / weight, Math::max);
    }
}
