package io.flowfabric.testkit.memory;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Tags;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetRecount;
import io.flowfabric.core.admission.BudgetRecount.Drift;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.UsageEntry;
import io.flowfabric.core.decision.Conflicts;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.query.Fact;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.SortedMap;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.stream.Stream;

/** What budgets there are, what was used up of them, and what is set aside. */
final class BudgetAccounts {
    private final MemoryState world;
    private final Map<Namespace, NavigableMap<String, Purse>> purses = new HashMap<>();

    /** What was set aside for what runs, and not yet used, by budget and dimension. */
    private final Map<ExecutionId, Map<Slot, Long>> held = new HashMap<>();

    final Map<ExecutionId, List<UsageEntry>> ledger = new HashMap<>();

    private record Slot(String budget, String dimension) {}

    /** A report, by the budget that it named and its key. */
    private record Report(String budget, String key) {
        static Report of(UsageEntry entry) {
            return new Report(entry.budget(), entry.key());
        }
    }

    /** A budget and how it stands. */
    static final class Purse {
        Budget budget;
        boolean deleted;
        Optional<Instant> resets = Optional.empty();
        final SortedMap<String, Level> levels = new TreeMap<>();

        /** The reports that it has counted since it began at zero. */
        private final Set<Report> counted = new HashSet<>();

        Purse(Budget budget) {
            this.budget = budget;
        }

        BudgetView view() {
            return new BudgetView(budget, levels, resets);
        }

        void add(String dimension, long used, long held) {
            var level = levels.getOrDefault(dimension, Level.ZERO);
            levels.put(dimension, new Level(Math.max(0, level.used() + used), level.held() + held));
        }
    }

    BudgetAccounts(MemoryState world) {
        this.world = world;
    }

    NavigableMap<String, Purse> in(Namespace namespace) {
        return purses.computeIfAbsent(namespace, unknown -> new TreeMap<>());
    }

    Optional<Purse> find(Namespace namespace, String name) {
        return Optional.ofNullable(in(namespace).get(name)).filter(purse -> !purse.deleted);
    }

    Stream<Purse> all() {
        return purses.values().stream().flatMap(named -> named.values().stream());
    }

    /** A budget and those above it, also deleted ones. */
    private List<Purse> chain(Namespace namespace, String name) {
        var chain = new ArrayList<Purse>();
        var next = Optional.ofNullable(in(namespace).get(name));
        while (next.isPresent()) {
            chain.add(next.get());
            next = next.get().budget.parent().map(in(namespace)::get);
        }
        return chain;
    }

    /** A budget and those above it, as far as they count a dimension. */
    private List<Purse> chain(Namespace namespace, String name, String dimension) {
        return chain(namespace, name).stream()
                .filter(purse -> purse.budget.dimensions().containsKey(dimension))
                .toList();
    }

    /** All that a row draws on, with what it would set aside there. */
    Stream<Map.Entry<Purse, BudgetUse>> uses(MemoryExecution row) {
        return uses(row.lane().namespace(), drawsOn(row));
    }

    private SortedSet<BudgetUse> drawsOn(MemoryExecution row) {
        return world.lanes.settings(row.lane()).drawsOn(row.policy().budgets());
    }

    /** All that a row drew on when it was given out. */
    Stream<Purse> drawn(MemoryExecution row) {
        return uses(row.lane().namespace(), row.drawn).map(Map.Entry::getKey);
    }

    private Stream<Map.Entry<Purse, BudgetUse>> uses(
            Namespace namespace, Collection<BudgetUse> uses) {
        return uses.stream()
                .flatMap(
                        use ->
                                chain(namespace, use.budget()).stream()
                                        .map(purse -> Map.entry(purse, use)));
    }

    /** How those stand that a row draws on. */
    Stream<Fact.Budget> facts(MemoryExecution row) {
        return uses(row)
                .filter(use -> !use.getKey().deleted)
                .map(use -> new Fact.Budget(use.getKey().view(), use.getValue()));
    }

    /** What stands in the way of a row, in words. */
    Optional<String> obstacle(MemoryExecution row) {
        return facts(row).filter(budget -> !budget.open()).findFirst().map(Fact::words);
    }

    /** Sets aside what a lease needs that was just given. */
    void take(MemoryExecution row) {
        var mine = new HashMap<Slot, Long>();
        row.drawn = drawsOn(row);
        for (BudgetUse use : row.drawn) {
            use.reserve()
                    .forEach(
                            (dimension, amount) ->
                                    chain(row.lane().namespace(), use.budget(), dimension)
                                            .forEach(
                                                    purse -> {
                                                        purse.add(dimension, 0, amount);
                                                        mine.merge(
                                                                new Slot(
                                                                        purse.budget.name(),
                                                                        dimension),
                                                                amount,
                                                                Long::sum);
                                                    }));
        }
        held.put(row.id(), mine);
    }

    /** Frees what is still set aside for a lease that has ended. */
    void give(MemoryExecution row) {
        held.getOrDefault(row.id(), Map.of())
                .forEach(
                        (slot, amount) ->
                                Objects.requireNonNull(in(row.lane().namespace()).get(slot.budget))
                                        .add(slot.dimension, 0, -amount));
        held.remove(row.id());
    }

    /** Counts what was reported, against what was set aside for it first. */
    void spend(MemoryExecution row, UsageEntry spent) {
        var mine = held.getOrDefault(row.id(), Map.of());
        for (Purse purse : chain(row.lane().namespace(), spent.budget(), spent.dimension())) {
            var slot = new Slot(purse.budget.name(), spent.dimension());
            long settled = Math.min(spent.amount(), mine.getOrDefault(slot, 0L));
            if (settled > 0) {
                mine.merge(slot, -settled, Long::sum);
            }
            long before = purse.levels.getOrDefault(spent.dimension(), Level.ZERO).used();
            purse.add(spent.dimension(), spent.amount(), -settled);
            purse.counted.add(Report.of(spent));
            if (!purse.deleted) {
                tell(purse, spent.dimension(), before);
            }
        }
        ledger.computeIfAbsent(row.id(), unknown -> new ArrayList<>()).add(spent);
    }

    /**
     * Whether a report was not heard before; its key belongs to the budget.
     *
     * @throws Conflict when the key was used for something else
     */
    boolean isNew(MemoryExecution row, UsageEntry spent) {
        for (var entry : ledger.entrySet()) {
            var spender = world.executions.find(entry.getKey());
            for (UsageEntry before : entry.getValue()) {
                boolean sameKey =
                        spender.lane().namespace().equals(row.lane().namespace())
                                && before.budget().equals(spent.budget())
                                && before.key().equals(spent.key());
                boolean same =
                        entry.getKey().equals(row.id())
                                && before.dimension().equals(spent.dimension())
                                && before.amount() == spent.amount();
                if (sameKey && !same) {
                    throw Conflicts.spentDifferently(spent.key());
                }
                if (sameKey) {
                    return false;
                }
            }
        }
        return true;
    }

    private void tell(Purse purse, String dimension, long before) {
        var bounds = Objects.requireNonNull(purse.budget.dimensions().get(dimension));
        long used = purse.levels.getOrDefault(dimension, Level.ZERO).used();
        bounds.soft()
                .filter(bound -> before < bound && used >= bound)
                .ifPresent(bound -> tell(purse, dimension, false, used));
        bounds.hard()
                .filter(bound -> before < bound && used >= bound)
                .ifPresent(bound -> tell(purse, dimension, true, used));
    }

    private void tell(Purse purse, String dimension, boolean hard, long used) {
        world.log.append(
                new Event.BudgetReached(
                        purse.budget.namespace(),
                        purse.budget.name(),
                        dimension,
                        hard,
                        used,
                        world.now()),
                Tags.NONE);
    }

    /** Counts anew what is set aside, and puts right what says otherwise. */
    BudgetRecount recount(Namespace namespace) {
        var truth = new HashMap<Slot, Long>();
        held.forEach(
                (id, slots) -> {
                    var row = world.executions.byUuid(id.uuid());
                    if (row.filter(r -> r.lane().namespace().equals(namespace)).isPresent()) {
                        slots.forEach((slot, amount) -> truth.merge(slot, amount, Long::sum));
                    }
                });
        int counted = 0;
        var drifts = new ArrayList<Drift>();
        for (Purse purse : in(namespace).values()) {
            for (String dimension : purse.budget.dimensions().keySet()) {
                var slot = new Slot(purse.budget.name(), dimension);
                long is = truth.getOrDefault(slot, 0L);
                long said = purse.levels.getOrDefault(dimension, Level.ZERO).held();
                if (said != is) {
                    drifts.add(new Drift(slot.budget, dimension, said, is));
                    purse.add(dimension, 0, is - said);
                }
                counted++;
            }
        }
        return new BudgetRecount(counted, drifts);
    }

    /** Takes a report back where it still counts: a reset has forgotten it. */
    void refund(MemoryExecution row, UsageEntry spent) {
        chain(row.lane().namespace(), spent.budget(), spent.dimension()).stream()
                .filter(purse -> purse.counted.remove(Report.of(spent)))
                .forEach(purse -> purse.add(spent.dimension(), -spent.amount(), 0));
    }

    /** Begins at zero again where a period is over; says for how many. */
    int resetDue(Instant now) {
        var due = all().filter(p -> p.resets.filter(at -> !at.isAfter(now)).isPresent()).toList();
        for (Purse purse : due) {
            reset(purse);
            long period = purse.budget.period().orElseThrow().toMillis();
            long late = now.toEpochMilli() - purse.resets.orElseThrow().toEpochMilli();
            purse.resets = purse.resets.map(at -> at.plusMillis((late / period + 1) * period));
            world.wakeups.wakeAll(purse.budget.namespace());
        }
        return due.size();
    }

    void reset(Purse purse) {
        purse.levels.replaceAll((dimension, level) -> new Level(0, level.held()));
        purse.counted.clear();
    }
}
