package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.BudgetDecisions;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.StepBatch;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * While a budget that cancels is breached, nothing that draws on it runs.
 *
 * <p>What is to be done follows from what is stored: a meter at its limit that counts something
 * running. So whoever breaches a budget does it at once, in a second transaction, because rows are
 * locked before meters; and when he dies in between, the next round of the timers does. Nothing new
 * starts meanwhile: claims lock the meter, and see that it is at its limit.
 */
public final class BudgetBreaches {
    /** No transaction holds more rows than this. */
    private static final int AT_ONCE = 1000;

    private final PostgresContext postgres;

    public BudgetBreaches(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /**
     * What came of a round.
     *
     * @param cancelled how many were cancelled
     * @param errors how many should have been, and cannot be read
     */
    public record Round(int cancelled, int errors) {
        /** Nothing was to be done. */
        public static final Round NOTHING = new Round(0, 0);

        Round and(Round more) {
            return new Round(cancelled + more.cancelled, errors + more.errors);
        }
    }

    private record Done(Round round, Set<Integer> freed, Set<SessionId> losers) {}

    public void cancelAll() {
        var unused = cancel(Integer.MAX_VALUE);
    }

    /** Cancels what runs and should not, no more than so many. */
    public Round cancel(int limit) {
        var meters = postgres.db().query("breached").list(row -> row.intValue("id"));
        if (meters.isEmpty() || limit <= 0) {
            return Round.NOTHING;
        }
        var running =
                postgres.db()
                        .query("running_on")
                        .ints("meters", meters, meter -> meter)
                        .list(row -> row.uuid("id"));
        var round = Round.NOTHING;
        int from = 0;
        while (from < running.size() && round.cancelled < limit) {
            int to = from + Math.min(AT_ONCE, limit - round.cancelled);
            var some = running.subList(from, Math.min(to, running.size()));
            var done = postgres.db().transaction(tx -> cancel(tx, some));
            postgres.freed(done.freed);
            postgres.lost(done.losers);
            round = round.and(done.round);
            from += some.size();
        }
        return round;
    }

    private Done cancel(Jdbc tx, List<UUID> running) {
        tx.query("patience_of_sweeps").run();
        // What another transaction has locked is ending, or is found by the next round.
        var locked = FactsReader.lock("free_facts", tx, postgres, running);
        var breaches = breaches(tx, locked);
        var steps = new StepBatch();
        int errors = 0;
        for (Locked row : locked.values()) {
            var breach = first(breaches, row);
            if (breach.isEmpty()) {
                continue;
            }
            if (row.facts().isEmpty()) {
                errors++;
            } else if (row.facts().get().state() instanceof Running
                    || row.facts().get().state() instanceof Granted) {
                Facts facts = row.facts().get();
                steps.add(BudgetDecisions.cancel(facts, breach.get(), row.now()), facts);
            }
        }
        var freed = new HashSet<Integer>();
        int cancelled = 0;
        if (!steps.isEmpty()) {
            for (var step : steps.write(tx, postgres.now())) {
                freed.addAll(step.freed());
                cancelled++;
            }
        }
        return new Done(new Round(cancelled, errors), freed, steps.losers());
    }

    /** Which limits are reached, in words, by their meters; these stay so until the end. */
    private static Map<Integer, String> breaches(Jdbc tx, Map<UUID, Locked> rows) {
        var meters = new HashSet<Integer>();
        rows.values().forEach(row -> meters.addAll(row.slots()));
        var budgets = new HashMap<Integer, Integer>();
        tx.query("lock_breached")
                .ints("ids", meters, meter -> meter)
                .each(row -> budgets.put(row.intValue("id"), row.intValue("budget")));
        var views = BudgetReader.byNumber(tx, Set.copyOf(budgets.values()));
        var breaches = new HashMap<Integer, String>();
        budgets.forEach(
                (meter, budget) ->
                        Optional.ofNullable(views.get(budget))
                                .flatMap(BudgetView::breach)
                                .ifPresent(words -> breaches.put(meter, words)));
        return breaches;
    }

    private static Optional<String> first(Map<Integer, String> breaches, Locked row) {
        return row.slots().stream()
                .flatMap(meter -> Optional.ofNullable(breaches.get(meter)).stream())
                .sorted()
                .findFirst();
    }
}
