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
import io.flowfabric.core.store.Backend;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.util.List;
import java.util.Map;

/** The code that docs/budgets.md shows; {@link BudgetPageTest} compares, and runs it. */
final class BudgetExample {
    private final Backend engine;

    BudgetExample(Backend engine) {
        this.engine = engine;
    }

    // [PAGE
    void define() {
        var ada = new Attribution("ada", "what we can afford");
        engine.budgets().define(Budget.of("acme", "tokens", 5_000_000).period(DAY), ada);
        engine.budgets()
                .define(
                        Budget.of("team-a", "tokens", 1_000_000)
                                .bounds("tokens", Bounds.hard(1_000_000).soft(800_000))
                                .bounds("cents", Bounds.hard(20_000))
                                .period(DAY)
                                .parent("acme"),
                        ada);
        engine.budgets()
                .define(Budget.of("trial", "calls", 100).enforcement(Enforcement.CANCEL), ada);
    }

    // PAGE]

    // [PAGE
    ExecutionId summarise(String text) {
        var policy = Policy.DEFAULT.budget("team-a", Map.of("tokens", 2_000L));
        var work = Submission.of("summarise", Payload.text(text)).policy(policy);
        return engine.submit(work).id();
    }

    // PAGE]

    // [PAGE
    BudgetView report(Fence fence, String call, long tokens) {
        var key = "%s %s".formatted(fence.execution(), call);
        var report = new UsageReport(fence, "team-a", "tokens", tokens, key);
        return engine.leases().spend(List.of(report)).getFirst().orThrow();
    }

    // PAGE]

    // [PAGE
    long spentAndGivenBack(ExecutionId execution, String call) {
        var key = "%s %s".formatted(execution, call);
        var olga = new Attribution("olga", "the model was down, they do not charge us");
        engine.budgets().refund(execution, "team-a", key, olga);
        return engine.budgets().ledger(execution).stream()
                .filter(spent -> !spent.refunded())
                .mapToLong(spent -> spent.amount())
                .sum();
    }

    // PAGE]

    // [PAGE
    String look() {
        var view = engine.budgets().describe(Namespace.DEFAULT, "team-a");
        return view.breach().orElseGet(view::inWords);
    }

    // PAGE]

    private static final Duration DAY = Duration.ofDays(1);
}
