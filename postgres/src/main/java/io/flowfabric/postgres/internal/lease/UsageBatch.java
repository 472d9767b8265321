package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/** Usage reports on their way into the one statement that counts them. */
final class UsageBatch {
    private final List<UsageReport> reports;

    /**
     * What came of a report.
     *
     * @param held whether its fence holds
     * @param defined whether there is such a budget
     * @param budget its number; none when it does not count this dimension
     * @param draws what it has changed: the budget that it names and those above it; nothing when
     *     its key was kept before
     * @param cancels whether a limit is reached of a budget that cancels
     */
    record Outcome(
            boolean held,
            boolean defined,
            Optional<Integer> budget,
            List<Draw> draws,
            boolean cancels) {
        static final Outcome LOST = new Outcome(false, false, Optional.empty(), List.of(), false);

        static Outcome of(Row row) {
            var budgets = row.ints("budgets");
            var settled = row.longs("settled");
            return new Outcome(
                    true,
                    row.bool("defined"),
                    Optional.ofNullable(row.intOrNull("budget")),
                    IntStream.range(0, budgets.length)
                            .mapToObj(i -> new Draw(budgets[i], settled[i]))
                            .toList(),
                    row.bool("cancels"));
        }

        /** Whether it has counted now. */
        boolean added() {
            return !draws.isEmpty();
        }
    }

    /**
     * What a report has changed in one budget, besides what it says was used.
     *
     * @param settled how much of it had been set aside
     */
    record Draw(int budget, long settled) {}

    /**
     * A row of the answer: a report whose fence holds.
     *
     * @param place of the report, from 1
     * @param last the place of the last report that was looked at
     */
    private record Heard(int place, int last, Outcome outcome) {
        static Heard of(Row row) {
            return new Heard(row.intValue("n"), row.intValue("final"), Outcome.of(row));
        }
    }

    UsageBatch(List<UsageReport> reports) {
        this.reports = reports;
    }

    /**
     * Counts reports in their order, up to one that breaches a budget that cancels, and says what
     * came of each of these: of all, or of the first ones.
     */
    List<Outcome> write(Jdbc db, @Nullable Long now) {
        var rows =
                FenceColumns.set(db.query("spend"), reports, UsageReport::fence)
                        .set("now", now)
                        .texts("names", reports, UsageReport::budget)
                        .texts("dimensions", reports, UsageReport::dimension)
                        .longs("amounts", reports, UsageReport::amount)
                        .texts("keys", reports, UsageReport::key)
                        .list(Heard::of);
        int last = rows.isEmpty() ? reports.size() : rows.getFirst().last;
        var outcomes = new ArrayList<>(Collections.nCopies(last, Outcome.LOST));
        rows.forEach(heard -> outcomes.set(heard.place - 1, heard.outcome));
        return outcomes;
    }
}
