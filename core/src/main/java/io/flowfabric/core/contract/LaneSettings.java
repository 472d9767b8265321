package io.flowfabric.core.contract;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;

import java.time.Duration;
import java.util.Locale;
import java.util.Optional;

/**
 * How a lane behaves.
 *
 * @param weight its share among the lanes that a worker serves
 * @param ageing how long work must have waited to overtake work of one priority more that came just
 *     now; none means priority is strict
 * @param sharing whether fresh work of one priority goes in rounds, one piece of each {@linkplain
 *     io.flowfabric.core.policy.Policy#share share key} in a round, instead of in the order of
 *     submission
 */
public record LaneSettings(State state, int weight, Optional<Duration> ageing, boolean sharing) {
    public static final LaneSettings DEFAULT =
            new LaneSettings(State.ACTIVE, 1, Optional.empty(), false);

    /** So many rounds fit between two priorities: more than a lane sees in nine hundred years. */
    private static final long ROUNDS = 1L << 48;

    /** What goes into a lane and what comes out. */
    public enum State {
        /** Takes work and gives it out. */
        ACTIVE(true, true),
        /** Takes work, and keeps it. */
        PAUSED(true, false),
        /** Takes none, and gives out what it has. */
        DRAINING(false, true),
        /** Takes none, and keeps what it has. */
        DISABLED(false, false);

        private final boolean takes;
        private final boolean gives;

        State(boolean takes, boolean gives) {
            this.takes = takes;
            this.gives = gives;
        }

        /** Whether new work is accepted. */
        public boolean takes() {
            return takes;
        }

        /** Whether work can be claimed. */
        public boolean gives() {
            return gives;
        }

        /** The state as it travels: {@code active}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    public LaneSettings {
        Limit.LANE_WEIGHT.checkRange("lane weight", 1, weight);
        ageing = ageing.map(LaneSettings::checkedStep);
        if (sharing && ageing.isPresent()) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "sharing",
                    "a lane either ages or shares; set it up with one of them.");
        }
    }

    public LaneSettings state(State other) {
        return new LaneSettings(other, weight, ageing, sharing);
    }

    public LaneSettings weight(int other) {
        return new LaneSettings(state, other, ageing, sharing);
    }

    public LaneSettings ageing(Duration step) {
        return new LaneSettings(state, weight, Optional.of(step), sharing);
    }

    /**
     * Whether share keys take turns.
     *
     * <p>While n keys have fresh work of the same priority waiting, each of them gets at least
     * floor(k / n) - 1 of any k starts in a row, however much the others have, and the first work
     * of a new key is among the next n. A key that had nothing to do has saved up nothing. That
     * holds for work that any worker of the lane may take at any time: what a quota, a budget or
     * a missing worker held back keeps the place that it had.
     */
    public LaneSettings sharing(boolean other) {
        return new LaneSettings(state, weight, ageing, other);
    }

    /**
     * The place of work in the lane, lower first: its priority, or with ageing the moment it would
     * have been submitted at had its priority been none. It depends on nothing that changes while
     * the work waits, so a store can keep the queue sorted by it.
     *
     * <p>In a lane that shares, this is the place of work already begun; fresh work is as many
     * places behind it as its round says.
     */
    public long rank(int priority, long submittedMillis) {
        return ageing.map(step -> submittedMillis - priority * step.toMillis())
                .orElse(-priority * (sharing ? ROUNDS : 1));
    }

    private static Duration checkedStep(Duration step) {
        // A day per step and nine thousand steps stay far inside a long.
        if (step.compareTo(Duration.ofMillis(1)) < 0 || step.compareTo(Duration.ofDays(1)) > 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE, "ageing", step + " is outside of 1 ms to 1 day.");
        }
        return Duration.ofMillis(step.toMillis());
    }
}
