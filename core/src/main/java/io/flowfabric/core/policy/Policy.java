package io.flowfabric.core.policy;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;
import java.util.function.Consumer;

/**
 * How a submission wants to be treated, frozen with it.
 *
 * <p>What a new field touches stands in {@code docs/where-to-add.md}. A field that changes nothing
 * is not accepted.
 *
 * @param priority 0 to 9000, higher goes first
 * @param start when it may run for the first time
 * @param deadline when it expires, whatever it is doing then; none means never
 * @param retry what happens when an attempt fails
 * @param attemptTimeout how long one lease of it may last before it fails as a timeout; none means
 *     as long as its session lives
 * @param stallTimeout how long its worker may be silent about progress before the lease is taken
 *     away; none means for ever
 * @param needs what a worker must offer to get it: words, attributes, comparisons of versions
 * @param quotas what it counts against while it runs
 * @param budgets what it draws on
 * @param maxReclaims how often its lease may lapse before it fails
 * @param maxReplays how often an operator may replay it
 * @param retention how long it is kept after its end; none means as long as its namespace says
 * @param share with which work it shares a turn, in a lane where keys take turns; all work without
 *     a key shares one
 */
public record Policy(
        int priority,
        Due start,
        Optional<Due> deadline,
        Retry retry,
        Optional<Duration> attemptTimeout,
        Optional<Duration> stallTimeout,
        Capabilities needs,
        SortedSet<QuotaUse> quotas,
        SortedSet<BudgetUse> budgets,
        int maxReclaims,
        int maxReplays,
        Optional<Duration> retention,
        Optional<String> share) {

    /** Starts at once, with priority 0 and the default retries, and without limits of time. */
    public static final Policy DEFAULT =
            new Policy(
                    0,
                    Due.NOW,
                    Optional.empty(),
                    Retry.DEFAULT,
                    Optional.empty(),
                    Optional.empty(),
                    Capabilities.NONE,
                    Collections.emptySortedSet(),
                    Collections.emptySortedSet(),
                    100,
                    10,
                    Optional.empty(),
                    Optional.empty());

    public Policy {
        Limit.PRIORITY.checkRange("priority", 0, priority);
        attemptTimeout =
                attemptTimeout.map(timeout -> Durations.checked("attempt timeout", 1, timeout));
        stallTimeout = stallTimeout.map(timeout -> Durations.checked("stall timeout", 1, timeout));
        Limit.QUOTAS.checkCount("quotas", quotas.size());
        quotas = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<QuotaUse>) quotas));
        Limit.BUDGETS.checkCount("budgets", budgets.size());
        budgets = BudgetUse.sorted(budgets);
        Limit.COUNT.checkRange("max reclaims", 0, maxReclaims);
        Limit.COUNT.checkRange("max replays", 0, maxReplays);
        retention = retention.map(kept -> Durations.checked("retention", 0, kept));
        share.ifPresent(key -> Text.name("share key", key, Limit.NAME_BYTES));
    }

    /** This policy with another priority, 0 to 9000, higher first. */
    public Policy priority(int other) {
        return with(draft -> draft.priority = other);
    }

    /** This policy with another time before which the work does not start. */
    public Policy start(Due other) {
        return with(draft -> draft.start = other);
    }

    /** This policy with a time at which the execution expires, whatever it is doing then. */
    public Policy deadline(Due other) {
        return with(draft -> draft.deadline = Optional.of(other));
    }

    /** This policy with other retries. */
    public Policy retry(Retry other) {
        return with(draft -> draft.retry = other);
    }

    /** This policy with a longest time for one leased run; longer ones fail as {@code timeout}. */
    public Policy attemptTimeout(Duration other) {
        return with(draft -> draft.attemptTimeout = Optional.of(other));
    }

    /** This policy with a longest time without a report of progress; longer ones fail. */
    public Policy stallTimeout(Duration other) {
        return with(draft -> draft.stallTimeout = Optional.of(other));
    }

    /** This policy with other capabilities that a worker must have. */
    public Policy needs(Capabilities other) {
        return with(draft -> draft.needs = other);
    }

    /** Counts it against one more quota, together with all work that names it. */
    public Policy quota(String quota) {
        return counted(QuotaUse.of(quota));
    }

    /** Counts it against one more quota, together with all work that names it with the same key. */
    public Policy quota(String quota, String key) {
        return counted(QuotaUse.of(quota, key));
    }

    private Policy counted(QuotaUse use) {
        var more = new TreeSet<>(quotas);
        more.add(use);
        return with(draft -> draft.quotas = more);
    }

    /** Draws on one more budget, with nothing set aside. */
    public Policy budget(String budget) {
        return budget(budget, Map.of());
    }

    /** Draws on one more budget, with so much of each dimension set aside while it runs. */
    public Policy budget(String budget, Map<String, Long> reserve) {
        var more = new TreeSet<>(budgets);
        more.removeIf(use -> use.budget().equals(budget));
        more.add(BudgetUse.of(budget, reserve));
        return with(draft -> draft.budgets = more);
    }

    /** This policy with another number of lost leases after which the execution fails. */
    public Policy maxReclaims(int other) {
        return with(draft -> draft.maxReclaims = other);
    }

    /** This policy with another number of replays that operators may ask for. */
    public Policy maxReplays(int other) {
        return with(draft -> draft.maxReplays = other);
    }

    /** This policy with another time for which the execution is kept after its end. */
    public Policy retention(Duration other) {
        return with(draft -> draft.retention = Optional.of(other));
    }

    /** Takes turns as one of those with this key, such as a customer. */
    public Policy share(String key) {
        return with(draft -> draft.share = Optional.of(key));
    }

    /**
     * The part that the policies of many executions have in common, so that a store can keep it
     * once: without what {@link #whole} puts back.
     */
    public Policy shared() {
        return whole(
                DEFAULT.priority,
                DEFAULT.start,
                DEFAULT.deadline,
                DEFAULT.needs,
                DEFAULT.quotas,
                DEFAULT.budgets,
                DEFAULT.share);
    }

    /** The whole policy again, of its shared part and what a store has kept apart from it. */
    public Policy whole(
            int ownPriority,
            Due ownStart,
            Optional<Due> ownDeadline,
            Capabilities ownNeeds,
            SortedSet<QuotaUse> ownQuotas,
            SortedSet<BudgetUse> ownBudgets,
            Optional<String> ownShare) {
        return with(
                draft -> {
                    draft.priority = ownPriority;
                    draft.start = ownStart;
                    draft.deadline = ownDeadline;
                    draft.needs = ownNeeds;
                    draft.quotas = ownQuotas;
                    draft.budgets = ownBudgets;
                    draft.share = ownShare;
                });
    }

    private Policy with(Consumer<Draft> change) {
        var draft = new Draft(this);
        change.accept(draft);
        return draft.policy();
    }

    /** When it expires, if it is accepted now. */
    public Optional<Instant> deadlineFrom(Instant now) {
        return deadline.map(due -> due.from(now));
    }

    /**
     * When it expires after a replay: a wait begins anew, and a time that has passed no longer
     * counts.
     */
    public Optional<Instant> deadlineAfterReplay(Instant now) {
        return deadlineFrom(now).filter(at -> at.isAfter(now));
    }

    /** When a lease that is given now has lasted too long. */
    public Optional<Instant> attemptDue(Instant leasedAt) {
        return attemptTimeout.map(leasedAt::plus);
    }

    /** When a worker that was last heard of at this moment counts as stalled. */
    public Optional<Instant> stallDue(Instant lastProgress) {
        return stallTimeout.map(lastProgress::plus);
    }

    /** Whether the lease may lapse once more after this many times, or the execution fails. */
    public boolean mayReclaim(int reclaims) {
        return reclaims < maxReclaims;
    }

    /** Whether it may be replayed once more after this many times. */
    public boolean mayReplay(int replays) {
        return replays < maxReplays;
    }

    /** Until when it is kept, if it ends now in a namespace that keeps work that long. */
    public Instant keepUntil(Instant finishedAt, Duration otherwise) {
        return finishedAt.plus(retention.orElse(otherwise));
    }

    /** Adds all of it to the digest of a submission. */
    public void digest(Digest.Builder digest) {
        digest.number(priority);
        start.digest(digest);
        digest.number(deadline.isPresent() ? 1 : 0);
        deadline.ifPresent(due -> due.digest(digest));
        retry.digest(digest);
        digest.number(attemptTimeout.map(Duration::toMillis).orElse(0L));
        digest.number(stallTimeout.map(Duration::toMillis).orElse(0L));
        digest.text(needs.toString());
        digest.number(quotas.size());
        quotas.forEach(use -> digest.text(use.quota()).text(use.key().orElse("")));
        digest.number(budgets.size());
        for (BudgetUse use : budgets) {
            digest.text(use.budget()).number(use.reserve().size());
            use.reserve().forEach((dimension, amount) -> digest.text(dimension).number(amount));
        }
        digest.number(maxReclaims).number(maxReplays);
        digest.number(retention.map(Duration::toMillis).orElse(-1L));
        digest.text(share.orElse(""));
    }

    /** A policy whose fields can be set one by one. */
    private static final class Draft {
        private int priority;
        private Due start;
        private Optional<Due> deadline;
        private Retry retry;
        private Optional<Duration> attemptTimeout;
        private Optional<Duration> stallTimeout;
        private Capabilities needs;
        private SortedSet<QuotaUse> quotas;
        private SortedSet<BudgetUse> budgets;
        private int maxReclaims;
        private int maxReplays;
        private Optional<Duration> retention;
        private Optional<String> share;

        Draft(Policy policy) {
            priority = policy.priority;
            start = policy.start;
            deadline = policy.deadline;
            retry = policy.retry;
            attemptTimeout = policy.attemptTimeout;
            stallTimeout = policy.stallTimeout;
            needs = policy.needs;
            quotas = policy.quotas;
            budgets = policy.budgets;
            maxReclaims = policy.maxReclaims;
            maxReplays = policy.maxReplays;
            retention = policy.retention;
            share = policy.share;
        }

        Policy policy() {
            return new Policy(
                    priority,
                    start,
                    deadline,
                    retry,
                    attemptTimeout,
                    stallTimeout,
                    needs,
                    quotas,
                    budgets,
                    maxReclaims,
                    maxReplays,
                    retention,
                    share);
        }
    }
}
