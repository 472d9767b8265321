package io.flowfabric.testkit.history;

import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.state.Transition;

import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * One life of an execution, from its submission on. An id has a second one when it was submitted
 * again after its retention had ended.
 */
final class Life {
    private final List<Step> steps;
    private final Map<Long, Tenure> tenures = new HashMap<>();

    /**
     * How long a lease lasted.
     *
     * @param ended absent while the lease is open
     */
    record Tenure(Step given, Optional<Step> ended) {
        /** Whether its holder ended it, and not an operator or time. */
        boolean endedByHolder() {
            return ended.filter(step -> step.by().isEmpty())
                    .filter(step -> step.transition() != Transition.LAPSE)
                    .isPresent();
        }

        private Tenure until(Step end) {
            return ended.isPresent() ? this : new Tenure(given, Optional.of(end));
        }
    }

    private Life(List<Step> steps) {
        this.steps = List.copyOf(steps);
        for (Step step : steps) {
            if (step.transition().givesLease()) {
                tenures.putIfAbsent(step.epoch(), new Tenure(step, Optional.empty()));
            } else if (step.owner().isPresent()) {
                tenures.computeIfPresent(step.epoch(), (epoch, tenure) -> tenure.until(step));
            }
        }
    }

    /**
     * Tells the lives of one id apart.
     *
     * @param retention how long it is kept after its end; none when it is not known, and then an id
     *     lives once
     */
    static List<Life> of(List<Step> steps, Optional<Duration> retention) {
        var lives = new ArrayList<Life>();
        var current = new ArrayList<Step>();
        for (Step step : steps) {
            if (!current.isEmpty() && erasedBetween(current.getLast(), step, retention)) {
                lives.add(new Life(current));
                current.clear();
            }
            current.add(step);
        }
        if (!current.isEmpty()) {
            lives.add(new Life(current));
        }
        return lives;
    }

    private static boolean erasedBetween(Step last, Step next, Optional<Duration> retention) {
        return next.transition() == Transition.SUBMIT
                && last.now().terminal()
                && retention.filter(kept -> !last.at().plus(kept).isAfter(next.at())).isPresent();
    }

    List<Step> steps() {
        return steps;
    }

    Step last() {
        return steps.getLast();
    }

    Optional<Tenure> tenure(long epoch) {
        return Optional.ofNullable(tenures.get(epoch));
    }

    boolean has(Transition transition) {
        return steps.stream().anyMatch(step -> step.transition() == transition);
    }

    /** How often a step was taken. */
    int count(Transition transition) {
        return count(steps, transition);
    }

    /** How often a step was taken since the last replay, or since the submission. */
    int countSinceReplay(Transition transition) {
        int from = 0;
        for (int i = 0; i < steps.size(); i++) {
            if (steps.get(i).transition() == Transition.REPLAY) {
                from = i;
            }
        }
        return count(steps.subList(from, steps.size()), transition);
    }

    private static int count(List<Step> steps, Transition transition) {
        return (int) steps.stream().filter(step -> step.transition() == transition).count();
    }
}
