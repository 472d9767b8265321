package io.flowfabric.testkit.memory;

import io.flowfabric.core.Lane;

import java.util.HashMap;
import java.util.Map;

/**
 * Whose turn it can be among lanes, as far as their picks so far tell.
 *
 * <p>Each pick moves a lane on by a step that is the smaller the heavier the lane is, and the lane
 * that is furthest back comes next; one that was empty does not catch up. How far a lane is ahead
 * of the one that came last is known between bounds: where a worker finds work in one lane only, a
 * store may save itself the trouble of counting.
 */
final class LaneTurnBounds {
    /** Sums of parts of a whole are not exact. */
    private static final double ROUNDING = 1e-6;

    private final Map<Lane, Lead> leads = new HashMap<>();

    /** How far ahead a lane is, at least and at most. */
    private record Lead(double least, double most) {
        static final Lead NONE = new Lead(0, 0);

        /** After another lane has moved all on by its own lead. */
        Lead after(Lead other) {
            return new Lead(Math.max(0, least - other.most), Math.max(0, most - other.least));
        }

        Lead or(Lead other) {
            return new Lead(Math.min(least, other.least), Math.max(most, other.most));
        }
    }

    /** Whether one lane can have come before another that had work, too. */
    boolean mayPrecede(Lane first, Lane other) {
        return lead(first).least <= lead(other).most + ROUNDING;
    }

    /**
     * Moves a lane on.
     *
     * @param counted whether the store must have counted this pick
     */
    void picked(Lane lane, int weight, boolean counted) {
        var before = lead(lane);
        // Lanes of two namespaces have no worker in common: a store may count them together, or
        // not.
        leads.replaceAll(
                (other, lead) ->
                        counted && other.namespace().equals(lane.namespace())
                                ? lead.after(before)
                                : lead.or(lead.after(before)));
        var step = new Lead(1.0 / weight, 1.0 / weight);
        leads.put(lane, counted ? step : before.or(step));
    }

    private Lead lead(Lane lane) {
        return leads.getOrDefault(lane, Lead.NONE);
    }
}
