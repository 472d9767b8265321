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

    private final Set<Place> others = new LinkedHashSet<>();

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

    /** Takes note of flows that other processes have left. */
    void noteLeft(Partition home, List<UUID> left) {
        left.forEach(flow -> others.add(new Place(home, flow)));
    }

    /** Does what other processes have left, and says in how many flows that cannot be done. */
    int settleLeft() {
        others.removeAll(flows);
        return (int)
                others.stream()
                        .filter(place -> !settling.settleLeft(place.home, place.flow))
                        .count();
    }

    /** Does what follows. */
    void settle() {
        flows.forEach(place -> settling.settleIfPossible(place.home, place.flow));
        flows.clear();
    }
}
