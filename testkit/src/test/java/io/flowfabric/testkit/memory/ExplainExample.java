package io.flowfabric.testkit.memory;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.store.Backend;

import java.util.StringJoiner;

/** The code that docs/explain.md shows; {@link ExplainPageTest} compares, and runs it. */
final class ExplainExample {
    private final Backend engine;

    ExplainExample(Backend engine) {
        this.engine = engine;
    }

    // [PAGE
    String whyNot(ExecutionId execution) {
        var explanation = engine.queries().explain(execution);
        var lines = new StringJoiner("\n  - ");
        lines.add(explanation.words());
        explanation.facts().forEach(fact -> lines.add(fact.words()));
        return lines.toString();
    }

    String whatWaits(Lane lane) {
        var lines = new StringJoiner("\n");
        for (var group : engine.queries().explain(lane).groups()) {
            lines.add("%5d  %s".formatted(group.executions(), group.words()));
        }
        return lines.toString();
    }
    // PAGE]
}
