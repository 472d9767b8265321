package io.flowfabric.valkey.internal;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.signal.Waitpoint;
import io.flowfabric.valkey.internal.DecidedWaits.ClosedWaitpoint;
import io.flowfabric.valkey.internal.DecidedWaits.Decided;
import io.flowfabric.valkey.internal.DecidedWaits.WaitFacts;

import java.util.Optional;

/** Waitpoints that an operator closes. */
record ClosingQuestion(Attribution by) implements DecidedWaits.WaitQuestion<Waitpoint, Waitpoint> {
    @Override
    public ExecutionId execution(Waitpoint at) {
        return at.execution();
    }

    @Override
    public Decided<Waitpoint> decide(Waitpoint at, WaitFacts facts) {
        return new Decided<>(
                at,
                Optional.empty(),
                WaitDecisions.close(facts.stored().facts(), at, facts.now()),
                Optional.empty(),
                Optional.of(new ClosedWaitpoint(at.name(), by)));
    }
}
