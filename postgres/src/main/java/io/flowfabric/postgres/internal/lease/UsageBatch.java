package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.stream.IntStream;

/** Usage reports on their way into the one statement that counts them. */
final class UsageBatch {
    private final List<UsageReport> reports;

    /** Each fence once, with its place from 1, so that no row is locked twice. */
    private final Map<Fence, Integer> fences = new LinkedHashMap<>();

    /**
     * What came of a report.
     *
     * @param held whether its fence holds
     * @param defined whether there is such a budget
     * @param budget its number; none when it does not count this dimension
     * @param added whether its key was not kept before; else nothing was counted
     * @param draws what it has changed: the budget that it names and those above it
     * @param cancels whether a limit is reached of a budget that cancels
     */
    record Outcome(
            boolean held,
            boolean defined,
            Optional<Integer> budget,
            boolean added,
            List<Draw> draws,
            boolean cancels) {
        static Outcome of(Row row) {
            var budgets = row.ints("budgets");
            var settled = row.longs("settled");
            return new Outcome(
                    row.bool("held"),
                    row.bool("defined"),
                    Optional.ofNullable(row.intOrNull("budget")),
                    row.bool("added"),
                    IntStream.range(0, budgets.length)
                            .mapToObj(i -> new Draw(budgets[i], settled[i]))
                            .toList(),
                    row.bool("cancels"));
        }
    }

    /**
     * What a report has changed in one budget, besides what it says was used.
     *
     * @param settled how much of it had been set aside
     */
    record Draw(int budget, long settled) {}

    UsageBatch(List<UsageReport> reports) {
        this.reports = reports;
        reports.forEach(report -> fences.putIfAbsent(report.fence(), fences.size() + 1));
    }

    /**
     * Counts reports in their order, up to one that breaches a budget that cancels, and says what
     * came of each of these: of all, or of the first ones.
     */
    List<Outcome> write(Jdbc db, @Nullable Long now) {
        return db.query("spend")
                .set("now", now)
                .uuids("ids", fences.keySet(), fence -> fence.execution().uuid())
                .ints("parts", fences.keySet(), fence -> fence.execution().partition().number())
                .ints("attempts", fences.keySet(), Fence::attempt)
                .longs("epochs", fences.keySet(), Fence::epoch)
                .ints("fences", reports, report -> Objects.requireNonNull(fences.get(report.fence())))
                .texts("names", reports, UsageReport::budget)
                .texts("dimensions", reports, UsageReport::dimension)
                .longs("amounts", reports, UsageReport::amount)
                .texts("keys", reports, UsageReport::key)
                .list(Outcome::of);
    }
}
