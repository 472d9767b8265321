package io.flowfabric.core.schedule;

import io.flowfabric.core.Limit;

/**
 * How many of the occurrences that were missed are made up for, the newest of them: those that came
 * while no engine ran.
 *
 * @param most how many at most
 */
public record CatchUp(int most) {
    /** None of those that were missed: the schedule goes on with its next occurrence. */
    public static final CatchUp SKIP = new CatchUp(0);

    /** One for all that were missed, the newest. */
    public static final CatchUp ONE = new CatchUp(1);

    /** All that were missed, up to the limit. */
    public static final CatchUp ALL = new CatchUp((int) Limit.CATCH_UP.max());

    public CatchUp {
        Limit.CATCH_UP.checkRange("catch-up", 0, most);
    }

    /** So many of those that were missed, the newest. */
    public static CatchUp upTo(int most) {
        return new CatchUp(most);
    }
}
