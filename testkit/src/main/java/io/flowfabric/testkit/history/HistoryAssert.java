package io.flowfabric.testkit.history;

import org.assertj.core.api.AbstractAssert;

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
        isNotNull();
        var violations = new HistoryChecker(actual).verdict();
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
