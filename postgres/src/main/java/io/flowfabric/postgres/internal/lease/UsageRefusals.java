package io.flowfabric.postgres.internal.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.lease.UsageReport;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.lease.UsageBatch.Outcome;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Why reports were not counted that one statement was given. */
final class UsageRefusals {
    private final LeaseStandings standings;
    private final Map<Key, Content> kept;

    /** A key belongs to a budget. */
    private record Key(int budget, String key) {}

    /** What a repeat has to say again. */
    private record Content(UUID execution, String dimension, long amount) {}

    private UsageRefusals(LeaseStandings standings, Map<Key, Content> kept) {
        this.standings = standings;
        this.kept = kept;
    }

    /** Reads what the refusals depend on; when all was counted, without asking the server. */
    static UsageRefusals read(Jdbc db, List<UsageReport> reports, List<Outcome> outcomes) {
        var lost = new ArrayList<Fence>();
        var repeated = new HashSet<Key>();
        for (int i = 0; i < reports.size(); i++) {
            var report = reports.get(i);
            var outcome = outcomes.get(i);
            if (!outcome.held()) {
                lost.add(report.fence());
            } else if (!outcome.added()) {
                outcome.budget().ifPresent(budget -> repeated.add(new Key(budget, report.key())));
            }
        }
        return new UsageRefusals(LeaseStandings.read(db, lost), kept(db, repeated));
    }

    private static Map<Key, Content> kept(Jdbc db, Collection<Key> keys) {
        var kept = new HashMap<Key, Content>();
        if (!keys.isEmpty()) {
            db.query("spent_before")
                    .ints("budgets", keys, Key::budget)
                    .texts("keys", keys, Key::key)
                    .each(
                            row ->
                                    kept.put(
                                            new Key(row.intValue("budget"), row.text("key")),
                                            new Content(
                                                    row.uuid("execution"),
                                                    row.text("dimension"),
                                                    row.longValue("amount"))));
        }
        return kept;
    }

    /** Why this one was refused; nothing when it has counted, now or before. */
    Optional<FlowFabricException> of(UsageReport report, Outcome outcome) {
        if (!outcome.held()) {
            return Optional.of(standings.lost(report.fence()));
        }
        if (!outcome.defined()) {
            return Optional.of(new NotFound("budget", report.budget()));
        }
        if (outcome.budget().isEmpty()) {
            return Optional.of(NotFound.dimension(report.budget(), report.dimension()));
        }
        var key = new Key(outcome.budget().get(), report.key());
        if (outcome.added() || saysTheSame(report, key)) {
            return Optional.empty();
        }
        return Optional.of(Conflicts.spentDifferently(report.key()));
    }

    /** What is gone by now was another's: this execution is still there. */
    private boolean saysTheSame(UsageReport report, Key key) {
        var execution = report.fence().execution().uuid();
        return new Content(execution, report.dimension(), report.amount()).equals(kept.get(key));
    }
}
