package io.flowfabric.worker;

import io.flowfabric.core.Payload;
import io.flowfabric.engine.Engine;

import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/** The code that docs/steps.md shows; {@link StepsPageTest} compares, and runs it. */
final class StepsExample {
    private final UnaryOperator<String> bank;
    private final UnaryOperator<String> post;

    StepsExample(UnaryOperator<String> bank, UnaryOperator<String> post) {
        this.bank = bank;
        this.post = post;
    }

    // [PAGE
    Worker shop(Engine engine) {
        return Worker.on(engine).name("shop").lane("orders").handle("order", this::fulfil).start();
    }

    Payload fulfil(Task task) {
        var order = task.input().asText();
        var receipt = step(task, "charge", () -> bank.apply(order));
        return step(task, "ship", () -> post.apply(receipt.asText()));
    }

    /** What an earlier run has recorded under this name; or else what the action returns now. */
    Payload step(Task task, String name, Supplier<String> action) {
        for (var step : task.steps()) {
            if (step.name().equals(name)) {
                return step.content();
            }
        }
        return task.checkpoint(name, Payload.text(action.get())).content();
    }
    // PAGE]
}
