package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.Steps.Step;

import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.UUID;

/**
 * Flows of which members end in a call. What follows is done at the end of the call, when all that
 * ends in it has ended.
 */
final class UnsettledFlows {
    private final FlowSettling settling;
    private final Set<Place> flows = new LinkedHashSet<>();

    private record Place(Partition home, UUID flow) {}

    UnsettledFlows(FlowSettling settling) {
        this.settling = settling;
    }

    /** Takes note of steps, of each of which it is said whether it was taken. */
    void note(Partition home, List<Step> steps, List<Boolean> taken) {
        for (int n = 0; n < steps.size(); n++) {
            var step = steps.get(n);
            if (taken.get(n) && step.change().after().terminal()) {
                step.before().member().ifPresent(place -> flows.add(new Place(home, place.flow())));
            }
        }
    }

    /** Does what follows. */
    void settle() {
        flows.forEach(place -> settling.settleIfPossible(place.home, place.flow));
        flows.clear();
    }
}
