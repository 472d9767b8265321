package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.admission.BudgetBreaches;
import io.flowfabric.postgres.internal.lease.UsageBatch.Outcome;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * How what workers used up is counted: many reports in one statement, under the locks of their
 * executions, and answered as if each had been made alone.
 */
final class UsageWriter {
    /** What one statement takes: one commit should not hold everybody up. */
    private static final int CHUNK = 1000;

    private final PostgresContext postgres;

    UsageWriter(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Counts reports, and answers each with how its budget stands then. */
    List<Answer<BudgetView>> write(List<UsageReport> reports) {
        var answers = new ArrayList<Answer<BudgetView>>(reports.size());
        while (answers.size() < reports.size()) {
            int from = answers.size();
            int to = Math.min(from + CHUNK, reports.size());
            answers.addAll(writeFirst(reports.subList(from, to)));
        }
        return answers;
    }

    /** Counts as many of these as one statement does, from the first on. */
    private List<Answer<BudgetView>> writeFirst(List<UsageReport> offered) {
        var outcomes = new UsageBatch(offered).write(postgres.db(), postgres.now());
        var reports = offered.subList(0, outcomes.size());
        var refusals = UsageRefusals.read(postgres.db(), reports, outcomes);
        var views = new ArrayList<>(UsageViews.read(postgres.db(), reports, outcomes));
        if (outcomes.stream().anyMatch(Outcome::cancels)) {
            new BudgetBreaches(postgres).cancelAll();
            // The last one may be the breach, and sees what came of it.
            views.removeLast();
            views.addAll(
                    UsageViews.read(
                            postgres.db(),
                            List.of(reports.getLast()),
                            List.of(outcomes.getLast())));
        }
        var answers = new ArrayList<Answer<BudgetView>>(reports.size());
        for (int i = 0; i < reports.size(); i++) {
            var report = reports.get(i);
            answers.add(answer(report, refusals.of(report, outcomes.get(i)), views.get(i)));
        }
        return answers;
    }

    /** A refusal goes first; a budget that was deleted meanwhile has nothing to show. */
    private static Answer<BudgetView> answer(
            UsageReport report, Optional<FlowFabricException> refusal, Optional<BudgetView> view) {
        if (refusal.isEmpty() && view.isPresent()) {
            return Answer.done(view.get());
        }
        return Answer.refused(refusal.orElseGet(() -> new NotFound("budget", report.budget())));
    }
}
