package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Counts after every event what runs against each quota, and what was started within its window.
 *
 * <p>A store counts under a lock, and whatever it gave back or took before is in the feed before.
 * So if more was ever held at once than a quota allows, it shows here. What is not known is left
 * out, so that there is never a complaint without a reason: work that is in the feed alone, what
 * ran before its quota was defined, and the quotas of a lane that were changed when it had work.
 */
final class QuotaCheck implements RunCheck {
    /** How long a call that began before a quota was defined may still go on without it. */
    private static final Duration LONGEST_CALL = Duration.ofSeconds(5);

    private final Notes notes;
    private final Map<Name, Quota> quotas = new HashMap<>();
    private final Map<Name, Integer> generations = new HashMap<>();
    private final Map<Name, Instant> countsFrom = new HashMap<>();
    private int changes;
    private final Map<Place, Meter> meters = new HashMap<>();
    private final Map<ExecutionId, Holding> holdings = new HashMap<>();
    private final Map<ExecutionId, Integer> attempts = new HashMap<>();
    private final Map<Lane, LaneSettings> settled = new HashMap<>();
    private final Set<Lane> used = new HashSet<>();

    private record Name(Namespace namespace, String quota) {}

    /** What counts together: the uses of a quota under one key, since it was defined. */
    private record Place(Name name, int generation, QuotaUse use) {}

    /**
     * What holds places.
     *
     * @param changes how often the quotas had been changed when it was taken
     */
    private record Holding(List<Place> places, int changes, Instant since) {}

    private static final class Meter {
        private int running;
        private final List<Instant> starts = new ArrayList<>();
    }

    QuotaCheck(Notes notes) {
        this.notes = notes;
    }

    @Override
    public void next(Event event) {
        switch (event) {
            case Event.QuotaChange change -> change(change);
            case Event.LaneChange change -> {
                if (used.contains(change.lane())) {
                    // A claim beside the change may have seen the lane as it was before.
                    settled.remove(change.lane());
                } else {
                    settled.put(change.lane(), change.settings());
                }
            }
            case Step step -> step(step);
            case Event other -> {}
        }
    }

    private void change(Event.QuotaChange change) {
        var name = new Name(change.namespace(), change.name());
        var before = Optional.ofNullable(quotas.get(name));
        change.quota().ifPresentOrElse(quota -> quotas.put(name, quota), () -> quotas.remove(name));
        if (before.isEmpty() || change.quota().isEmpty()) {
            generations.merge(name, 1, Integer::sum);
            meters.keySet().removeIf(place -> place.name.equals(name));
            if (used.stream().anyMatch(lane -> lane.namespace().equals(change.namespace()))) {
                // A claim beside the definition counts nothing, and needs no lock for it.
                countsFrom.put(name, change.at().plus(LONGEST_CALL));
            }
        }
        changes++;
        // Another window counts no start that the one before had forgotten.
        meters.forEach(
                (place, meter) -> {
                    if (place.name.equals(name)) {
                        meter.starts.clear();
                    }
                });
    }

    private void step(Step step) {
        used.add(step.lane());
        boolean holds = step.now() == Situation.RUNNING || step.now() == Situation.GRANTED;
        var held = holdings.get(step.execution());
        if (holds && held == null) {
            take(step);
        } else if (!holds && held != null) {
            give(step.execution(), held);
        }
        begin(step);
        if (step.now().terminal()) {
            attempts.remove(step.execution());
        }
    }

    private void take(Step step) {
        var places = places(step);
        holdings.put(step.execution(), new Holding(places, changes, step.at()));
        for (var place : places) {
            int now = ++meter(place).running;
            quota(place)
                    .flatMap(Quota::concurrency)
                    .filter(most -> now > most)
                    .ifPresent(most -> complain(step, place, now + " at once, allowed " + most));
        }
    }

    private void give(ExecutionId execution, Holding held) {
        holdings.remove(execution);
        for (var place : held.places) {
            var meter = meters.get(place);
            if (meter != null) {
                meter.running--;
            }
        }
    }

    private List<Place> places(Step step) {
        var own = notes.work(step.execution());
        var lane = settled.getOrDefault(step.lane(), LaneSettings.DEFAULT);
        return own.stream()
                .flatMap(work -> lane.countsAgainst(work.policy().quotas()).stream())
                .map(use -> place(step.namespace(), use))
                .filter(place -> quotas.containsKey(place.name))
                .filter(place -> !step.at().isBefore(countsFrom(place.name)))
                .toList();
    }

    private Instant countsFrom(Name name) {
        return countsFrom.getOrDefault(name, Instant.MIN);
    }

    private Place place(Namespace namespace, QuotaUse use) {
        var name = new Name(namespace, use.quota());
        return new Place(name, generations.getOrDefault(name, 0), use);
    }

    /** An attempt begins with its first lease, and counts since the work was taken for it. */
    private void begin(Step step) {
        int before = attempts.getOrDefault(step.execution(), 0);
        var held = holdings.get(step.execution());
        if (step.transition() == Transition.SUBMIT) {
            attempts.put(step.execution(), 0);
        } else if (step.attempts() > before) {
            attempts.put(step.execution(), step.attempts());
            if (held != null && held.changes == changes) {
                held.places.forEach(place -> start(step, place, held.since));
            }
        }
    }

    private void start(Step step, Place place, Instant at) {
        var rate = quota(place).flatMap(Quota::rate);
        if (rate.isEmpty()) {
            return;
        }
        var starts = meter(place).starts;
        int index = Collections.binarySearch(starts, at);
        index = index < 0 ? -index - 1 : index;
        starts.add(index, at);
        int most = rate.get().max();
        int last = Math.min(index, starts.size() - 1 - most);
        for (int first = Math.max(0, index - most); first <= last; first++) {
            var begin = starts.get(first);
            var end = starts.get(first + most);
            if (end.isBefore(rate.get().until(begin))) {
                complain(
                        step,
                        place,
                        "%d starts within %s, allowed %d within %s"
                                .formatted(
                                        most + 1,
                                        Duration.between(begin, end),
                                        most,
                                        rate.get().window()));
                break;
            }
        }
        // Starts are told a little out of the order of their times, by far fewer places than are
        // kept here.
        if (starts.size() > 4 * most + 100) {
            starts.subList(0, starts.size() - 2 * most - 50).clear();
        }
    }

    private void complain(Step step, Place place, String what) {
        notes.complain(
                Kind.QUOTA_EXCEEDED,
                step.execution(),
                "%s at %s counts against quota %s: %s."
                        .formatted(step.transition(), step.at(), place.use, what));
    }

    private Meter meter(Place place) {
        return meters.computeIfAbsent(place, first -> new Meter());
    }

    private Optional<Quota> quota(Place place) {
        return Optional.ofNullable(quotas.get(place.name));
    }

    /** What runs now against a quota, under one key or without. */
    int running(Namespace namespace, QuotaUse use) {
        var meter = meters.get(place(namespace, use));
        return meter == null ? 0 : meter.running;
    }
}
