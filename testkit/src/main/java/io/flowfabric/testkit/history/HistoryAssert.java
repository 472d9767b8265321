package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;

import org.assertj.core.api.AbstractAssert;

import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;

/** AssertJ for histories: {@code assertThat(history).isSound()}. */
public final class HistoryAssert extends AbstractAssert<HistoryAssert, History> {
    private static final int SHOWN = 5;

    private HistoryAssert(History history) {
        super(history, HistoryAssert.class);
    }

    public static HistoryAssert assertThat(History history) {
        return new HistoryAssert(history);
    }

    /** Fails with the first few violations in full when the checker finds any. */
    public HistoryAssert isSound() {
        return isSound(Optional.empty());
    }

    /**
     * Asks the same of a store of several parts: work has an order, and sessions end, in each of
     * them by itself.
     *
     * @param part which of them an execution lies in
     */
    public HistoryAssert isSoundInParts(Function<ExecutionId, ?> part) {
        return isSound(Optional.of(part));
    }

    private HistoryAssert isSound(Optional<Function<ExecutionId, ?>> parts) {
        isNotNull();
        var violations = new HistoryChecker(actual, parts).verdict();
        if (!violations.isEmpty()) {
            throw failure(
                    "The history breaks %s promises:%n%s",
                    violations.size(),
                    violations.stream()
                            .limit(SHOWN)
                            .map(Violation::toString)
                            .collect(Collectors.joining("\n")));
        }
        return this;
    }
}
