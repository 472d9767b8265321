package io.flowfabric.postgres.internal.admission;

import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.decision.BudgetDecisions;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowSweep;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;
import io.flowfabric.postgres.internal.step.PassedOver;
import io.flowfabric.postgres.internal.step.StepBatch;
import io.flowfabric.postgres.internal.step.SweepBatches;
import io.flowfabric.postgres.internal.step.SweepBatches.Done;

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
 * running. So the call that breaches a budget does it at once, in a second transaction, because
 * rows are locked before meters; if its process dies in between, the next round of the timers does.
 * Nothing new starts meanwhile: claims lock the meter, and see that it is at its limit.
 */
public final class BudgetBreaches {
    /** No transaction holds more rows than this. */
    private static final int AT_ONCE = 1000;

    private final PostgresContext postgres;
    private final SweepBatches batches;
    private final PassedOver passedOver = new PassedOver();

    public BudgetBreaches(PostgresContext postgres) {
        this.postgres = postgres;
        this.batches = new SweepBatches(postgres);
    }

    /** Cancels all that runs and should not, with what follows from that. */
    public void cancelAll() {
        if (cancel(Integer.MAX_VALUE).processed() > 0) {
            var unused = new FlowSweep(postgres).round();
        }
    }

    /** Cancels what runs and should not, no more than so many. */
    public Done cancel(int limit) {
        var meters = postgres.db().query("breached").list(row -> row.intValue("id"));
        if (meters.isEmpty() || limit <= 0) {
            return Done.NOTHING;
        }
        var running =
                passedOver.without(
                        postgres.db()
                                .query("running_on")
                                .ints("meters", meters, meter -> meter)
                                .list(row -> row.uuid("id")));
        var done = Done.NOTHING;
        int from = 0;
        while (from < running.size() && done.processed() < limit) {
            int to = from + Math.min(AT_ONCE, limit - done.processed());
            var some = running.subList(from, Math.min(to, running.size()));
            done =
                    done.and(
                            batches.through(
                                    "breached budgets", some, this::cancel, passedOver::add));
            from += some.size();
        }
        return done;
    }

    /** What another transaction has locked is ending, or is found by the next round. */
    private Done cancel(Jdbc tx, List<UUID> running, Map<UUID, Locked> locked) {
        var breaches = breaches(tx, locked);
        var steps = new StepBatch();
        int errors = 0;
        for (Locked row : locked.values()) {
            var breach = first(breaches, row);
            if (breach.isEmpty() || row.ofNewerProgram()) {
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
        return batches.write(tx, steps, errors);
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
