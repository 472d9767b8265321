package io.flowfabric.core.operate;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.QuotaUse;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.Stream;

/**
 * How a lane behaves.
 *
 * @param weight its share among the lanes that a worker serves
 * @param ageing how long work must have waited to overtake work of one priority more that came just
 *     now; none means priority is strict
 * @param sharing whether fresh work of one priority goes in rounds, one piece of each {@linkplain
 *     io.flowfabric.core.policy.Policy#share share key} in a round, instead of in the order of
 *     submission
 * @param quotas what everything that starts from the lane counts against, without a key
 * @param budgets what everything that starts from the lane draws on
 */
public record LaneSettings(
        State state,
        int weight,
        Optional<Duration> ageing,
        boolean sharing,
        SortedSet<String> quotas,
        SortedSet<BudgetUse> budgets) {
    /** An active lane of weight 1, with strict priorities and no limits of its own. */
    public static final LaneSettings DEFAULT =
            new LaneSettings(
                    State.ACTIVE,
                    1,
                    Optional.empty(),
                    false,
                    Collections.emptySortedSet(),
                    Collections.emptySortedSet());

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
        Limit.QUOTAS.checkCount("quotas", quotas.size());
        quotas.forEach(QuotaUse::of);
        quotas = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<String>) quotas));
        Limit.BUDGETS.checkCount("budgets", budgets.size());
        budgets = BudgetUse.sorted(budgets);
    }

    /** These settings with another state of the lane. */
    public LaneSettings state(State other) {
        return new LaneSettings(other, weight, ageing, sharing, quotas, budgets);
    }

    /** These settings with another weight among the lanes that a worker serves. */
    public LaneSettings weight(int other) {
        return new LaneSettings(state, other, ageing, sharing, quotas, budgets);
    }

    /**
     * These settings, where work that has waited for a step overtakes work of one priority more.
     */
    public LaneSettings ageing(Duration step) {
        return new LaneSettings(state, weight, Optional.of(step), sharing, quotas, budgets);
    }

    /**
     * Whether share keys take turns.
     *
     * <p>While n keys have fresh work of the same priority waiting, each of them gets at least
     * floor(k / n) - 1 of any k starts in a row, however much the others have, and the first work
     * of a new key is among the next n. A key that had nothing to do has saved up nothing. That
     * holds for work that any worker of the lane may take at any time: what a quota, a budget or a
     * missing worker held back keeps the place that it had.
     */
    public LaneSettings sharing(boolean other) {
        return new LaneSettings(state, weight, ageing, other, quotas, budgets);
    }

    /**
     * Counts what starts from the lane from now on against one more quota, as if all of it had
     * named it.
     */
    public LaneSettings quota(String quota) {
        var more = new TreeSet<>(quotas);
        more.add(quota);
        return new LaneSettings(state, weight, ageing, sharing, more, budgets);
    }

    /** These settings without that quota for everything in the lane. */
    public LaneSettings withoutQuota(String quota) {
        var fewer = new TreeSet<>(quotas);
        fewer.remove(quota);
        return new LaneSettings(state, weight, ageing, sharing, fewer, budgets);
    }

    /** Lets what starts from the lane draw on one more budget, with nothing set aside. */
    public LaneSettings budget(String budget) {
        return budget(budget, Map.of());
    }

    /**
     * These settings with a budget of which so much of each dimension is set aside for each piece
     * of work. Work that names the budget itself has the larger of both set aside.
     */
    public LaneSettings budget(String budget, Map<String, Long> reserve) {
        var more = new TreeSet<>(withoutBudget(budget).budgets);
        more.add(BudgetUse.of(budget, reserve));
        return new LaneSettings(state, weight, ageing, sharing, quotas, more);
    }

    /** These settings without that budget for everything in the lane. */
    public LaneSettings withoutBudget(String budget) {
        var fewer = new TreeSet<>(budgets);
        fewer.removeIf(use -> use.budget().equals(budget));
        return new LaneSettings(state, weight, ageing, sharing, quotas, fewer);
    }

    /** What work counts against that starts from the lane: its own quotas first. */
    public List<QuotaUse> countsAgainst(Collection<QuotaUse> own) {
        return Stream.concat(own.stream(), quotas.stream().map(QuotaUse::of)).distinct().toList();
    }

    /** What work draws on that starts from the lane, with the larger reservation of both. */
    public SortedSet<BudgetUse> drawsOn(SortedSet<BudgetUse> own) {
        var reserves = new TreeMap<String, SortedMap<String, Long>>();
        for (BudgetUse use : Stream.concat(own.stream(), budgets.stream()).toList()) {
            var reserve = reserves.computeIfAbsent(use.budget(), first -> new TreeMap<>());
            use.reserve().forEach((dimension, more) -> reserve.merge(dimension, more, Math::max));
        }
        var uses = new TreeSet<BudgetUse>();
        reserves.forEach((budget, reserve) -> uses.add(new BudgetUse(budget, reserve)));
        return uses;
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
