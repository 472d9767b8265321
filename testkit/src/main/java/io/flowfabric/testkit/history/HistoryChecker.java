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
    private final Optional<Function<ExecutionId, ?>> parts;

    public HistoryChecker(History history) {
        this(history, Optional.empty());
    }

    /**
     * A checker of a store of several parts.
     *
     * @param parts which of them an execution lies in, if there are several: work has an order, and
     *     sessions end, in each of them by itself
     */
    public HistoryChecker(History history, Optional<Function<ExecutionId, ?>> parts) {
        this.history = history;
        this.parts = parts;
    }

    /** Everything that is wrong; nothing, when the run is sound. */
    public List<Violation> verdict() {
        var verdict = new RunningVerdict(history.expected(), parts);
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
