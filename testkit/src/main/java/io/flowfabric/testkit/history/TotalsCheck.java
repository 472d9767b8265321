package io.flowfabric.testkit.history;

import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.testkit.history.Violation.Kind;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;

/** Asks whether a store's own counts are those of the executions that it shows. */
final class TotalsCheck {
    private final RunCheck.Notes notes;
    private final History history;

    TotalsCheck(RunCheck.Notes notes, History history) {
        this.notes = notes;
        this.history = history;
    }

    void check(QuotaCheck quotas) {
        counts();
        quotas(quotas);
        budgets();
    }

    private void counts() {
        if (history.totals().counts().isEmpty()) {
            return;
        }
        Map<Lane, Map<PublicState, Long>> seen = new HashMap<>();
        for (ExecutionView view : history.views().values()) {
            // Behind a gate that is shut, ready work reads as blocked, and is counted as ready.
            var state =
                    view.state() instanceof Blocked blocked && blocked.situation().onlySeen()
                            ? blocked.behind()
                            : view.state();
            seen.computeIfAbsent(view.lane(), lane -> new HashMap<>())
                    .merge(state.situation().publicState(), 1L, Long::sum);
        }
        var lanes = new HashSet<>(history.totals().counts().keySet());
        lanes.addAll(seen.keySet());
        for (var lane : lanes) {
            var told = new HashMap<>(history.totals().counts().getOrDefault(lane, Map.of()));
            told.values().removeIf(count -> count == 0);
            var found = seen.getOrDefault(lane, Map.of());
            if (!told.equals(found)) {
                notes.complain(
                        Kind.MISCOUNTED,
                        lane,
                        "The store counts %s, and shows %s.".formatted(told, found));
            }
        }
    }

    private void quotas(QuotaCheck quotas) {
        for (var view : history.totals().quotas()) {
            int runs = quotas.running(view.quota().namespace(), view.use());
            // Work that was taken beside the definition of its quota may not be known.
            if ((view.running() > 0 && idle()) || view.running() < runs) {
                notes.complain(
                        Kind.MISCOUNTED,
                        view.use(),
                        "The store counts %d against quota %s, and %d run."
                                .formatted(view.running(), view.use(), runs));
            }
        }
    }

    private void budgets() {
        boolean idle = idle();
        for (var view : history.totals().budgets()) {
            view.levels()
                    .forEach(
                            (dimension, level) -> {
                                if (idle && level.held() != 0) {
                                    notes.complain(
                                            Kind.MISCOUNTED,
                                            view.budget().name(),
                                            "%d %s are set aside, and nothing runs."
                                                    .formatted(level.held(), dimension));
                                }
                            });
        }
    }

    private boolean idle() {
        return history.views().values().stream().allMatch(view -> view.state().terminal());
    }
}
