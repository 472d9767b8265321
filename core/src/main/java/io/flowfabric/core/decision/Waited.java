package io.flowfabric.core.decision;

import io.flowfabric.core.lease.Step;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.ReceivedSignal;

import java.util.Optional;

/**
 * What is written of a wait, decided and not yet written.
 *
 * @param awaiting what is remembered from now on
 * @param step that says how the wait has ended, if it has and the execution goes on
 * @param signal that was received, if one was
 */
public record Waited(Awaiting awaiting, Optional<Step> step, Optional<ReceivedSignal> signal) {
    static Waited of(Awaiting awaiting) {
        return new Waited(awaiting, Optional.empty(), Optional.empty());
    }

    Waited step(Step recorded) {
        return new Waited(awaiting, Optional.of(recorded), signal);
    }

    Waited signal(ReceivedSignal received) {
        return new Waited(awaiting, step, Optional.of(received));
    }
}
