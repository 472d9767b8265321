package io.flowfabric.testkit.memory;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.AdmissionBlock;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.testkit.memory.BudgetAccounts.Purse;

import java.util.HashMap;
import java.util.Map;
import java.util.TreeMap;
import java.util.stream.Stream;

/** How much room the quotas leave to a claim that takes one piece of work after the other. */
final class AdmissionCheck {
    private final MemoryState world;
    private final Map<Place, Taken> taken = new HashMap<>();
    private final Map<Purse, Map<String, Long>> aside = new HashMap<>();

    private record Place(Namespace namespace, QuotaUse use) {}

    private record Taken(int running, int started) {
        static final Taken NOTHING = new Taken(0, 0);

        Taken and(int more, int moreStarts) {
            return new Taken(running + more, started + moreStarts);
        }
    }

    AdmissionCheck(MemoryState world) {
        this.world = world;
    }

    /** Whether there is room for this, too. */
    boolean admits(MemoryExecution row) {
        return world.meters.views(row, world.now()).allMatch(view -> admits(row, view))
                && world.purses
                        .uses(row)
                        .filter(use -> !use.getKey().deleted)
                        .allMatch(use -> affords(use.getKey(), use.getValue()));
    }

    /** What leaves no room for this, before anything is taken. */
    Stream<AdmissionBlock> shut(MemoryExecution row) {
        return Stream.concat(
                world.meters.views(row, world.now()).flatMap(QuotaView::shut),
                world.purses
                        .uses(row)
                        .filter(use -> !use.getKey().deleted)
                        .flatMap(use -> use.getKey().view().shut(use.getValue().reserve())));
    }

    private boolean affords(Purse purse, BudgetUse use) {
        var levels = new TreeMap<>(purse.levels);
        aside.getOrDefault(purse, Map.of())
                .forEach(
                        (dimension, more) ->
                                levels.merge(
                                        dimension,
                                        new Level(0, more),
                                        (one, two) ->
                                                new Level(one.used(), one.held() + two.held())));
        var view = new BudgetView(purse.budget, levels, purse.resets);
        return view.obstacle(use.reserve()).isEmpty();
    }

    private boolean admits(MemoryExecution row, QuotaView view) {
        var more = taken.getOrDefault(place(row, view.use()), Taken.NOTHING);
        return new QuotaView(
                        view.quota(),
                        view.use(),
                        view.running() + more.running,
                        view.started() + more.started,
                        view.opens())
                .open();
    }

    void take(MemoryExecution row) {
        setAside(row);
        int starts = ((Ready) row.state).next().startsAttempt() ? 1 : 0;
        for (QuotaUse use : world.meters.countsAgainst(row)) {
            taken.merge(
                    place(row, use),
                    Taken.NOTHING.and(1, starts),
                    (before, more) -> before.and(more.running, more.started));
        }
    }

    private void setAside(MemoryExecution row) {
        world.purses
                .uses(row)
                .forEach(
                        use ->
                                use.getValue()
                                        .reserve()
                                        .forEach(
                                                (dimension, amount) ->
                                                        aside.computeIfAbsent(
                                                                        use.getKey(),
                                                                        p -> new HashMap<>())
                                                                .merge(
                                                                        dimension, amount,
                                                                        Long::sum)));
    }

    private static Place place(MemoryExecution row, QuotaUse use) {
        return new Place(row.lane().namespace(), use);
    }
}
