package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.feed.Event.StepRecorded;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.history.Violation.Kind;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Asks whether steps were recorded by the holder of the lease, and each once. An execution is
 * looked at from its submission to its end, and again from a replay on: that may have been a fresh
 * one, which clears what was recorded.
 */
final class RecordedStepsCheck implements RunCheck {
    private final Notes notes;
    private final Map<ExecutionId, Work> works = new HashMap<>();

    /** What is known of an execution that has not ended. */
    private static final class Work {
        private final Set<String> names = new HashSet<>();
        private Optional<Step> lease = Optional.empty();
    }

    RecordedStepsCheck(Notes notes) {
        this.notes = notes;
    }

    @Override
    public void next(Event event) {
        switch (event) {
            case Step step -> step(step);
            case StepRecorded recorded ->
                    Optional.ofNullable(works.get(recorded.execution()))
                            .ifPresent(work -> recorded(work, recorded));
            case Event other -> {}
        }
    }

    private void step(Step step) {
        if (step.now().terminal()) {
            works.remove(step.execution());
            return;
        }
        boolean begins =
                step.transition() == Transition.SUBMIT || step.transition() == Transition.REPLAY;
        if (begins) {
            works.put(step.execution(), new Work());
        }
        var work = works.get(step.execution());
        if (work != null && step.transition().givesLease()) {
            work.lease = Optional.of(step);
        } else if (work != null && step.leaseChange().isPresent()) {
            work.lease = Optional.empty();
        }
    }

    private void recorded(Work work, StepRecorded recorded) {
        boolean holds =
                work.lease
                        .filter(lease -> lease.epoch() == recorded.epoch())
                        .filter(lease -> lease.attempts() - 1 == recorded.attempt())
                        .isPresent();
        if (!holds) {
            notes.complain(
                    Kind.STALE_WRITE,
                    recorded.execution(),
                    ("The step %s was recorded at %s under epoch %d, attempt %d, and the lease that"
                                    + " was open is %s.")
                            .formatted(
                                    recorded.name(),
                                    recorded.at(),
                                    recorded.epoch(),
                                    recorded.attempt(),
                                    work.lease.map(Chronicle::line).orElse("none")));
        }
        if (!work.names.add(recorded.name())) {
            notes.complain(
                    Kind.RECORDED_TWICE,
                    recorded.execution(),
                    "The step %s was recorded, and again at %s."
                            .formatted(recorded.name(), recorded.at()));
        }
    }
}
