package io.flowfabric.faults;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.LeaseChange;
import io.flowfabric.core.state.Transition;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Goes through the log of a run again, and sees whether every lease was given and ended once.
 *
 * <p>The log is read when nobody writes any more, so it comes in the order of the events' numbers.
 */
class LeaseReplay {
    private final Map<ExecutionId, Long> held = new HashMap<>();
    private final Map<Transition, Integer> steps = new EnumMap<>(Transition.class);
    private final List<String> faults = new ArrayList<>();

    final void add(Event event) {
        if (event instanceof Event.Step step) {
            steps.merge(step.transition(), 1, Integer::sum);
            step.leaseChange().ifPresent(change -> add(step, change));
        }
    }

    private void add(Event.Step step, LeaseChange change) {
        switch (change) {
            case ACQUIRED, RECLAIMED -> {
                if (held.put(step.execution(), step.epoch()) != null) {
                    fault("given while it was held: " + step);
                }
                given(step);
            }
            case EXPIRED, REVOKED, RELEASED -> {
                if (!held.remove(step.execution(), step.epoch())) {
                    fault("ended and not held: " + step);
                }
                ended(step);
            }
            case RENEWED -> throw new IllegalStateException("no step renews a lease: " + step);
        }
    }

    /** A lease was given. */
    void given(Event.Step step) {}

    /** A lease has ended. */
    void ended(Event.Step step) {}

    final void fault(String what) {
        faults.add(what);
    }

    /** Whatever must not have happened; call this once, at the end. */
    List<String> faults() {
        var all = new ArrayList<>(faults);
        held.forEach((id, epoch) -> all.add("never given back: %s".formatted(id)));
        return all;
    }

    /** How often a step was taken. */
    final int times(Transition transition) {
        return steps.getOrDefault(transition, 0);
    }

    @Override
    public String toString() {
        return steps.toString();
    }
}
