package io.flowfabric.worker;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.codec.WaitCodec;
import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.signal.Suspension;
import io.flowfabric.engine.Engine;

import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/** The code that docs/signals.md shows; {@link SignalsPageTest} compares, and runs it. */
final class SignalsExample {
    private final Consumer<String> mail;

    SignalsExample(Consumer<String> mail) {
        this.mail = mail;
    }

    // [PAGE
    static final Duration THREE_DAYS = Duration.ofDays(3);

    Worker office(Engine engine) {
        return Worker.on(engine)
                .name("office")
                .lane("orders")
                .handleWithResult("order", task -> approve(engine, task))
                .start();
    }

    TaskResult approve(Engine engine, Task task) {
        Optional<Step> wait =
                task.steps().stream().filter(step -> step.name().equals("approval")).findFirst();
        if (wait.isEmpty()) {
            mail.accept(link(engine, task));
            return TaskResult.suspend(
                    Suspension.until("approval", Condition.signal("boss"))
                            .timeout(THREE_DAYS, Suspension.Behaviour.RESUME));
        }
        var resumption = WaitCodec.resumption(wait.get().content());
        return switch (resumption.by()) {
            case TIMEOUT -> TaskResult.cancel("nobody answered");
            case OPERATOR -> TaskResult.complete(Payload.text("let through"));
            case SIGNAL -> answered(resumption.signals().getFirst());
        };
    }

    TaskResult answered(SignalHead signal) {
        return signal.name().equals(Signal.APPROVED)
                ? TaskResult.complete(Payload.text("approved by " + signal.actor()))
                : TaskResult.cancel("rejected by " + signal.actor());
    }

    /** A token that lets whoever has it send a signal to this order, and to nothing else. */
    String link(Engine engine, Task task) {
        var boss = new OpenWaitpoint(task.fence(), "boss");
        var at = engine.leases().open(List.of(boss)).getFirst().orThrow().at();
        return engine.signals()
                .tokens(List.of(new Signals.Wanted(at, THREE_DAYS)))
                .getFirst()
                .orThrow();
    }

    /** Somebody who has the token, and is not known here otherwise. */
    Delivery clicked(Engine engine, String token, String name) {
        var approval = Signals.Presented.approve(token, new Attribution(name, "clicked the link"));
        return engine.signals().present(List.of(approval)).getFirst().orThrow();
    }
    // PAGE]
}
