package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.postgres.internal.admission.BudgetReader;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.lease.UsageBatch.Draw;
import io.flowfabric.postgres.internal.lease.UsageBatch.Outcome;

import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** How budgets stood after each of the reports that one statement has counted. */
final class UsageViews {
    private UsageViews() {}

    /**
     * The budget of each report as it stood after it; nothing where there is none.
     *
     * <p>Budgets are read as they stand after the last report. Going back from there, what each
     * report has changed is taken away.
     */
    static List<Optional<BudgetView>> read(
            Jdbc db, List<UsageReport> reports, List<Outcome> outcomes) {
        var numbers =
                outcomes.stream()
                        .flatMap(outcome -> outcome.budget().stream())
                        .collect(Collectors.toSet());
        if (numbers.isEmpty()) {
            return Collections.nCopies(reports.size(), Optional.empty());
        }
        var views = new HashMap<>(BudgetReader.byNumber(db, numbers));
        var fromTheLast = new ArrayList<Optional<BudgetView>>(reports.size());
        for (int i = reports.size() - 1; i >= 0; i--) {
            var report = reports.get(i);
            fromTheLast.add(outcomes.get(i).budget().map(views::get));
            for (Draw draw : outcomes.get(i).draws()) {
                views.computeIfPresent(draw.budget(), (budget, view) -> before(view, report, draw));
            }
        }
        return fromTheLast.reversed();
    }

    private static BudgetView before(BudgetView view, UsageReport report, Draw draw) {
        var levels = new TreeMap<>(view.levels());
        levels.computeIfPresent(
                report.dimension(),
                (dimension, level) ->
                        // It may have begun at zero since then.
                        new Level(
                                Math.max(0, level.used() - report.amount()),
                                level.held() + draw.settled()));
        return new BudgetView(view.budget(), levels, view.resets());
    }
}
