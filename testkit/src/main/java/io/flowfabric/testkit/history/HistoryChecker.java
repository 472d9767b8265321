package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;

/**
 * Judges a run from its history alone: nothing lost, nothing done twice, no stale write accepted,
 * no step that cannot be, no limit exceeded; and, where a run says what it is held to, nothing
 * late.
 *
 * <p>It needs no model and no knowledge of the order in which threads took turns. What it cannot
 * see is what leaves no event and was never acknowledged.
 */
public final class HistoryChecker {
    private final History history;
    private final Function<ExecutionId, ?> queue;

    public HistoryChecker(History history) {
        this(history, id -> "");
    }

    /**
     * A checker of a store where not all work of a lane has one order.
     *
     * @param queue work of a lane that this says the same of has one
     */
    public HistoryChecker(History history, Function<ExecutionId, ?> queue) {
        this.history = history;
        this.queue = queue;
    }

    /** Everything that is wrong; nothing, when the run is sound. */
    public List<Violation> verdict() {
        var verdict = new RunningVerdict(history.expected(), queue);
        // First what was submitted, so that it is known when the first event comes.
        history.views().values().forEach(verdict::seen);
        history.acknowledged().forEach(verdict::heard);
        history.events().forEach(verdict::happened);

        new ClaimsCheck(verdict.notes()).check(history);
        new TotalsCheck(verdict.notes(), history).check(verdict.quotas());

        Set<ExecutionId> all = new LinkedHashSet<>(verdict.unjudged());
        all.addAll(history.views().keySet());
        for (ExecutionId id : all) {
            verdict.judge(
                    id,
                    Optional.ofNullable(history.views().get(id)),
                    Optional.ofNullable(history.results().get(id)),
                    history.now(),
                    history.drained());
        }
        return verdict.violations();
    }
}
