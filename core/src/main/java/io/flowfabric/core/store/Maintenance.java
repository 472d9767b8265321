package io.flowfabric.core.store;

import java.time.Duration;
import java.util.Optional;

/**
 * Everything that happens because time passes. An engine calls it; many engines may, and nothing
 * happens twice.
 */
public interface Maintenance {
    /** The time-driven jobs of a store. */
    enum Chore {
        /**
         * Buries the sessions that missed their heartbeats, and returns their work to the queue.
         */
        SESSIONS,
        /**
         * Does what is due: deadlines first, then timeouts of attempts, stalls, and the end of
         * delays.
         */
        TIMERS,
        /**
         * Forgets executions whose retention has ended, and events by the day; a dropped day counts
         * as one item.
         */
        RETENTION
    }

    /**
     * What one round of a chore did.
     *
     * @param processed how many items were dealt with
     * @param errors how many were passed over because they could not be; each was logged
     * @param more whether the round ended at its limit, so that another may find more
     */
    record Round(int processed, int errors, boolean more) {}

    /** What one engine does for all of them, from time to time. */
    enum Duty {
        /** Rounds of {@link Chore#RETENTION}, until there is nothing more to forget. */
        RETENTION,
        /** Counting anew what runs against quotas and what is set aside of budgets. */
        RECOUNT
    }

    /** Does one round of a chore: at most {@code limit} items. */
    Round tick(Chore chore, int limit);

    /**
     * How long it is until there is something to do, as far as is known now; nothing left, or less,
     * when there is something already. Retention is not counted: forgetting can wait. By the
     * store's clock, so that it does not matter how an engine's own is set.
     *
     * @param within how far to look ahead: what is due later is not told, and costs nothing
     */
    Optional<Duration> nextDue(Duration within);

    /**
     * Takes the turn at a duty, by the store's clock. There is one in a period, whichever engine
     * asks; the engine that got it does the duty, and if it dies over it the next turn is another
     * engine's.
     *
     * @param every how long it must be since the last turn was taken
     * @return whether the caller has the turn
     */
    boolean takeTurn(Duty duty, Duration every);
}
