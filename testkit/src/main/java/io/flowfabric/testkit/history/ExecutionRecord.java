package io.flowfabric.testkit.history;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.feed.Event.Step;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Result;
import io.flowfabric.testkit.history.Acknowledgement.WorkAccepted;
import io.flowfabric.testkit.history.Violation.Kind;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;

/** Everything that is known about one execution, and what is wrong with it. */
final class ExecutionRecord {
    private final ExecutionId execution;
    private final List<Step> steps;
    private final List<Life> lives;
    private final List<Acknowledgement> acknowledged;
    private final Optional<ExecutionView> view;
    private final Optional<Result> result;
    private final List<Violation> violations = new ArrayList<>();

    ExecutionRecord(
            ExecutionId execution,
            List<Step> steps,
            List<Acknowledgement> acknowledged,
            Optional<ExecutionView> view,
            Optional<Result> result) {
        this.execution = execution;
        this.steps = steps;
        this.acknowledged = acknowledged;
        this.view = view;
        this.result = result;
        this.lives = Life.of(steps, retention());
    }

    ExecutionId execution() {
        return execution;
    }

    List<Life> lives() {
        return lives;
    }

    Optional<ExecutionView> view() {
        return view;
    }

    Optional<Result> result() {
        return result;
    }

    <A extends Acknowledgement> List<A> acknowledged(Class<A> kind) {
        return acknowledged.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    /** How long it is kept after its end, as far as it was said; the shortest, if several did. */
    Optional<Duration> retention() {
        var asAccepted =
                acknowledged(WorkAccepted.class).stream()
                        .map(accepted -> accepted.submission().policy().retention());
        var asSeen = view.stream().map(seen -> seen.policy().retention());
        return Stream.concat(asAccepted, asSeen)
                .map(kept -> kept.orElse(NamespaceSettings.DEFAULT.retention()))
                .min(Duration::compareTo);
    }

    void complain(Kind kind, String sentence) {
        violations.add(
                new Violation(kind, execution.toString(), sentence + "\n" + Chronicle.of(this)));
    }

    List<Violation> violations() {
        return violations;
    }

    List<Step> steps() {
        return steps;
    }

    List<Acknowledgement> acknowledged() {
        return acknowledged;
    }
}
