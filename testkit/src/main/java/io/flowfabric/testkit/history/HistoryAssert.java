package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;

import org.assertj.core.api.AbstractAssert;

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
        return isSoundWithin(id -> "");
    }

    /**
     * Holds a store to everything, but to an order only among some of the work of a lane.
     *
     * @param queue work of a lane that this says the same of has an order
     */
    public HistoryAssert isSoundWithin(Function<ExecutionId, ?> queue) {
        isNotNull();
        var violations = new HistoryChecker(actual, queue).verdict();
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
