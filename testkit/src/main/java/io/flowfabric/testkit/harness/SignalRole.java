package io.flowfabric.testkit.harness;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Payload;
import io.flowfabric.core.signal.Signal;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.testkit.harness.Operation.Telling;

import java.util.List;
import java.util.Optional;

/** Those who tell executions something. */
final class SignalRole extends Role {
    SignalRole(Stage stage, Participants cast) {
        super(stage, cast);
    }

    void send(Operation.Send operation) {
        var signals = operation.tellings().stream().flatMap(one -> signal(one).stream()).toList();
        if (!signals.isEmpty()) {
            var unused =
                    hear(
                            operation.hearing(),
                            () -> stage.call("send", signals, s -> s.signals().send(signals)),
                            // Without a key the second is another signal: the model knows which.
                            (first, second) -> {});
        }
    }

    private Optional<Signal> signal(Telling telling) {
        return cast.ledger()
                .recent(telling.execution())
                .map(Submission::id)
                .map(id -> telling.elsewhere() ? Identity.elsewhere(id) : id)
                .map(
                        id ->
                                new Signal(
                                        new Waitpoint(id, telling.waitpoint()),
                                        telling.name(),
                                        Payload.text(telling.name()),
                                        new Attribution(telling.actor(), "it seemed right"),
                                        telling.key()));
    }

    void close(Operation.CloseWaitpoint operation) {
        var by = new Attribution(operation.actor(), "it seemed right");
        cast.ledger()
                .recent(operation.execution())
                .map(work -> new Waitpoint(work.id(), operation.waitpoint()))
                .ifPresent(
                        at ->
                                stage.call(
                                        "close waitpoint",
                                        at,
                                        store -> store.signals().close(List.of(at), by)));
    }
}
