package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Judges a run from its history alone: nothing lost, nothing done twice, no stale write accepted,
 * no step that cannot be.
 *
 * <p>It needs no model and no knowledge of the order in which threads took turns. What it cannot
 * see is what leaves no event and was never acknowledged.
 */
public final class HistoryChecker {
    private final History history;

    public HistoryChecker(History history) {
        this.history = history;
    }

    /** Everything that is wrong; nothing, when the run is sound. */
    public List<Violation> verdict() {
        var violations = new ArrayList<Violation>();
        for (ExecutionRecord dossier : dossiers()) {
            StepsCheck.of(dossier);
            AcknowledgementCheck.of(dossier);
            FinalStateCheck.of(dossier, history.now(), history.drained());
            violations.addAll(dossier.violations());
        }
        return violations;
    }

    private List<ExecutionRecord> dossiers() {
        Map<ExecutionId, List<Step>> steps = new LinkedHashMap<>();
        for (Event event : history.events()) {
            if (event instanceof Step step) {
                steps.computeIfAbsent(step.execution(), id -> new ArrayList<>()).add(step);
            }
        }
        Map<ExecutionId, List<Acknowledgement>> acknowledged = new LinkedHashMap<>();
        for (Acknowledgement told : history.acknowledged()) {
            acknowledged.computeIfAbsent(told.execution(), id -> new ArrayList<>()).add(told);
        }

        Set<ExecutionId> all = new LinkedHashSet<>(steps.keySet());
        all.addAll(acknowledged.keySet());
        all.addAll(history.views().keySet());
        return all.stream()
                .map(
                        id ->
                                new ExecutionRecord(
                                        id,
                                        steps.getOrDefault(id, List.of()),
                                        acknowledged.getOrDefault(id, List.of()),
                                        Optional.ofNullable(history.views().get(id)),
                                        Optional.ofNullable(history.results().get(id))))
                .toList();
    }
}
