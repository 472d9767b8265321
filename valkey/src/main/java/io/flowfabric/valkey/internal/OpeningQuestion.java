package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.decision.WaitDecisions;
import io.flowfabric.core.decision.Waited;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.valkey.internal.DecidedWaits.Decided;
import io.flowfabric.valkey.internal.DecidedWaits.WaitFacts;

import java.util.List;
import java.util.Optional;

/** Waitpoints that the holders of leases open before they wait there. */
final class OpeningQuestion implements DecidedWaits.WaitQuestion<OpenWaitpoint, WaitpointView> {
    private final ValkeyContext valkey;

    OpeningQuestion(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    List<Answer<WaitpointView>> open(List<OpenWaitpoint> waitpoints) {
        return new DecidedWaits<>(valkey, "await", this)
                .each("waitpoints", waitpoints, waitpoint -> 0, new AppliedParts());
    }

    @Override
    public ExecutionId execution(OpenWaitpoint asked) {
        return asked.fence().execution();
    }

    @Override
    public Optional<Fence> fence(OpenWaitpoint asked) {
        return Optional.of(asked.fence());
    }

    @Override
    public Decided<WaitpointView> decide(OpenWaitpoint asked, WaitFacts facts) {
        var known = facts.stored().facts();
        var opened = WaitDecisions.open(known, asked, facts.now());
        var view =
                opened.map(Waited::awaiting)
                        .orElse(known.awaiting())
                        .view(known.id(), facts.stored().submission().lane(), asked.name());
        return Decided.of(view, Optional.empty(), opened);
    }
}
