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
 */
public record LaneSettings(State state, int weight, Optional<Duration> ageing) {
    public static final LaneSettings DEFAULT = new LaneSettings(State.ACTIVE, 1, Optional.empty());

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
    }

    public LaneSettings state(State other) {
        return new LaneSettings(other, weight, ageing);
    }

    public LaneSettings weight(int other) {
        return new LaneSettings(state, other, ageing);
    }

    public LaneSettings ageing(Duration step) {
        return new LaneSettings(state, weight, Optional.of(step));
    }

    /**
     * The place of work in the lane, lower first: its priority, or with ageing the moment it would
     * have been submitted at had its priority been none. It depends on nothing that changes while
     * the work waits, so a store can keep the queue sorted by it.
     */
    public long rank(int priority, long submittedMillis) {
        return ageing.map(step -> submittedMillis - priority * step.toMillis())
                .orElse((long) -priority);
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
