package io.flowfabric.worker;

import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.engine.Engine;

import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
        return Worker.on(engine)
                .name("shop")
                .lane("orders")
                .handle("order", task -> fulfil(engine, task))
                .start();
    }

    Payload fulfil(Engine engine, Task task) {
        var done = new HashMap<String, Payload>();
        for (var step : engine.queries().allSteps(task.execution())) {
            done.put(step.name(), step.content());
        }
        var order = task.input().asText();
        var receipt = step(engine, task, done, "charge", () -> bank.apply(order));
        return step(engine, task, done, "ship", () -> post.apply(receipt.asText()));
    }

    /** What an earlier run has recorded under this name; or else what the action returns now. */
    Payload step(
            Engine engine,
            Task task,
            Map<String, Payload> done,
            String name,
            Supplier<String> action) {
        if (done.containsKey(name)) {
            return done.get(name);
        }
        var content = Payload.text(action.get());
        var checkpoint = new Checkpoint(task.fence(), name, content);
        return engine.leases().checkpoint(List.of(checkpoint)).getFirst().orThrow().content();
    }
    // PAGE]
}
