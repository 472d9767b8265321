package io.flowfabric.testkit.history;

import org.assertj.core.api.AbstractAssert;

import java.util.Set;
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

    /**
     * Fails with the first few violations in full when the checker finds any.
     *
     * @param notPromised what the store does not promise that was run, and is not held to
     */
    public HistoryAssert isSound(Violation.Kind... notPromised) {
        isNotNull();
        var excused = Set.of(notPromised);
        var violations =
                new HistoryChecker(actual)
                        .verdict().stream()
                                .filter(violation -> !excused.contains(violation.kind()))
                                .toList();
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
