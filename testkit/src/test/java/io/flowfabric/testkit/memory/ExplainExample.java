package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.store.Store;

import java.util.StringJoiner;

/** The code that docs/explain.md shows; {@link ExplainPageTest} compares, and runs it. */
final class ExplainExample {
    private final Store store;

    ExplainExample(Store store) {
        this.store = store;
    }

    // [PAGE
    String whyNot(ExecutionId execution) {
        var explanation = store.queries().explain(execution);
        var lines = new StringJoiner("\n  - ");
        lines.add(explanation.words());
        explanation.facts().forEach(fact -> lines.add(fact.words()));
        return lines.toString();
    }

    String whatWaits(Lane lane) {
        var lines = new StringJoiner("\n");
        for (var group : store.queries().explain(lane).groups()) {
            lines.add("%5d  %s".formatted(group.executions(), group.words()));
        }
        return lines.toString();
    }
    // PAGE]
}
