package io.flowfabric.postgres;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The code that docs/budgets.md shows; {@link BudgetPageTest} compares, and runs it. */
final class BudgetExample {
    private final Store store;

    BudgetExample(Store store) {
        this.store = store;
    }

    // [DEFINE
    void define() {
        var ada = new Attribution("ada", "what we can afford");
        store.budgets().define(Budget.of("acme", "tokens", 5_000_000).period(DAY), ada);
        store.budgets()
                .define(
                        Budget.of("team-a", "tokens", 1_000_000)
                                .bounds("tokens", Bounds.hard(1_000_000).soft(800_000))
                                .bounds("cents", Bounds.hard(20_000))
                                .period(DAY)
                                .parent("acme"),
                        ada);
        store.budgets()
                .define(Budget.of("trial", "calls", 100).enforcement(Enforcement.CANCEL), ada);
    }

    // DEFINE]

    // [ATTACH
    ExecutionId summarise(String text) {
        var policy = Policy.DEFAULT.budget("team-a", Map.of("tokens", 2_000L));
        var work = Submission.of("summarise", Payload.text(text)).policy(policy);
        return store.submissions().submit(List.of(work)).getFirst().orThrow().id();
    }

    // ATTACH]

    // [REPORT
    BudgetView report(Fence fence, String call, long tokens) {
        var key = "%s %s".formatted(fence.execution(), call);
        var report = new UsageReport(fence, "team-a", "tokens", tokens, key);
        return store.leases().spend(List.of(report)).getFirst().orThrow();
    }

    // REPORT]

    // [LEDGER
    long spentAndGivenBack(ExecutionId execution, String call) {
        var key = "%s %s".formatted(execution, call);
        var olga = new Attribution("olga", "the model was down, they do not charge us");
        store.budgets().refund(execution, "team-a", key, olga);
        return store.budgets().ledger(execution).stream()
                .filter(spent -> !spent.refunded())
                .mapToLong(spent -> spent.amount())
                .sum();
    }

    // LEDGER]

    // [LOOK
    String look() {
        var view = store.budgets().describe(Namespace.DEFAULT, "team-a");
        return view.breach().orElseGet(view::inWords);
    }

    // LOOK]

    private static final Duration DAY = Duration.ofDays(1);
}
