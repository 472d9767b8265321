package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.Steps.Step;

import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Flows of which members end in a call, or those who awaited them. What follows is done at the end
 * of the call, when all that ends in it has ended.
 */
final class UnsettledFlows {
    private final FlowSettling settling;
    private final Map<Partition, Set<UUID>> flows = new LinkedHashMap<>();
    private final Map<Partition, Set<UUID>> others = new LinkedHashMap<>();

    UnsettledFlows(FlowSettling settling) {
        this.settling = settling;
    }

    /** Takes note of steps, of each of which it is said whether it was taken. */
    void note(Partition home, List<Step> steps, List<Boolean> taken) {
        for (int n = 0; n < steps.size(); n++) {
            var step = steps.get(n);
            if (taken.get(n) && step.change().after().terminal()) {
                step.before().member().ifPresent(place -> of(flows, home).add(place.flow()));
                step.change().abandons().ifPresent(flow -> of(flows, home).add(flow.uuid()));
            }
        }
    }

    private static Set<UUID> of(Map<Partition, Set<UUID>> places, Partition home) {
        return places.computeIfAbsent(home, first -> new LinkedHashSet<>());
    }

    /** Takes note of flows that other processes have left. */
    void noteLeft(Partition home, List<UUID> left) {
        of(others, home).addAll(left);
    }

    /** Does what other processes have left, and says in how many flows that cannot be done. */
    int settleLeft() {
        int undone = 0;
        for (var left : others.entrySet()) {
            left.getValue().removeAll(of(flows, left.getKey()));
            undone += settling.settleLeft(left.getKey(), left.getValue());
        }
        return undone;
    }

    /** Does what follows. */
    void settle() {
        flows.forEach(settling::settleIfPossible);
        flows.clear();
    }
}
