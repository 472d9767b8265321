package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Limit;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.submit.Submission;

import java.util.Collection;
import java.util.Collections;
import java.util.Map;
import java.util.Objects;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * How a flow wants to be treated, frozen with it.
 *
 * @param onFailure what a member that fails, expires or is cancelled means for the others
 * @param quotas what every member counts against while it runs, besides what it names itself
 * @param budgets what every member draws on, besides what it names itself
 */
public record FlowPolicy(
        OnFailure onFailure, SortedSet<QuotaUse> quotas, SortedSet<BudgetUse> budgets) {
    /** What can run is finished, and nothing is counted together. */
    public static final FlowPolicy DEFAULT =
            new FlowPolicy(
                    OnFailure.FINISH, Collections.emptySortedSet(), Collections.emptySortedSet());

    /** What becomes of a flow of which a member fails, expires or is cancelled. */
    public enum OnFailure {
        /** Everything that has not ended is skipped at once, and the flow fails. */
        FAIL_FAST,
        /** What does not need that member goes on, and then the flow fails. */
        FINISH,
        /** What does not need that member goes on, and the flow completes. */
        IGNORE
    }

    public FlowPolicy {
        Objects.requireNonNull(onFailure, "on failure");
        Limit.QUOTAS.checkCount("quotas", quotas.size());
        quotas = Collections.unmodifiableSortedSet(new TreeSet<>((Collection<QuotaUse>) quotas));
        Limit.BUDGETS.checkCount("budgets", budgets.size());
        budgets = BudgetUse.sorted(budgets);
    }

    /** This policy with another meaning of failures. */
    public FlowPolicy onFailure(OnFailure other) {
        return new FlowPolicy(other, quotas, budgets);
    }

    /** Counts every member against one more quota. */
    public FlowPolicy quota(QuotaUse use) {
        var more = new TreeSet<>(quotas);
        more.add(use);
        return new FlowPolicy(onFailure, more, budgets);
    }

    /** Lets every member draw on one more budget, with so much set aside for each that runs. */
    public FlowPolicy budget(String budget, Map<String, Long> reserve) {
        var more = new TreeSet<>(budgets);
        more.removeIf(use -> use.budget().equals(budget));
        more.add(BudgetUse.of(budget, reserve));
        return new FlowPolicy(onFailure, quotas, more);
    }

    /** What is submitted of a member: its work, counted as its flow asks for. */
    public Submission submission(Member member) {
        return member.work().policy(ofMember(member.work().policy()));
    }

    private Policy ofMember(Policy own) {
        var policy = own;
        for (var use : quotas) {
            policy =
                    use.key().isPresent()
                            ? policy.quota(use.quota(), use.key().get())
                            : policy.quota(use.quota());
        }
        for (var use : budgets) {
            if (policy.budgets().stream().noneMatch(it -> it.budget().equals(use.budget()))) {
                policy = policy.budget(use.budget(), use.reserve());
            }
        }
        return policy;
    }

    void digest(Digest.Builder digest) {
        digest.text(onFailure.name());
        digest.number(quotas.size());
        quotas.forEach(use -> digest.text(use.quota()).text(use.key().orElse("")));
        digest.number(budgets.size());
        budgets.forEach(
                use -> {
                    digest.text(use.budget()).number(use.reserve().size());
                    use.reserve().forEach((name, amount) -> digest.text(name).number(amount));
                });
    }
}
