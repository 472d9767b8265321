package io.flowfabric.core.decision;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.DelayedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Delayed;
import io.flowfabric.core.state.ExecutionState.Finished;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.ExecutionState.Suspended;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Why an execution is not running: which facts are told, and the sentence they add up to.
 *
 * <p>The state is the decision. What is said here only explains it, and never disagrees: what time
 * has already changed, and no sweep has noticed yet, is said in the words.
 */
public final class ExecutionExplainer {
    private static final String SOON = "as soon as the engine looks";

    private final ExplanationInput given;
    private final ExecutionView view;
    private final List<Fact> facts = new ArrayList<>();

    private ExecutionExplainer(ExplanationInput given) {
        this.given = given;
        this.view = given.view();
    }

    /** Explains an execution. */
    public static Explanation explain(ExplanationInput given) {
        return new ExecutionExplainer(given).explanation();
    }

    private Explanation explanation() {
        var words = words();
        if (!view.state().terminal()) {
            view.deadline().ifPresent(at -> facts.add(new Fact.Deadline(at)));
        }
        given.step().filter(step -> !facts.contains(step)).ifPresent(facts::add);
        return new Explanation(
                view.id(), view.state(), Text.mended(words, Limit.MESSAGE_BYTES), facts, nextTry());
    }

    private Optional<Instant> nextTry() {
        return switch (view.state()) {
            case Delayed delayed -> Optional.of(delayed.until());
            case Blocked blocked
                    when blocked.by() == BlockedBy.QUOTA || blocked.by() == BlockedBy.BUDGET ->
                    allOpen();
            case Ready other -> Optional.empty();
            case Blocked other -> Optional.empty();
            case Granted other -> Optional.empty();
            case Running other -> Optional.empty();
            case Suspended other -> Optional.empty();
            case Finished other -> Optional.empty();
        };
    }

    /**
     * When all its budgets and quotas have room, if that depends on no execution that runs. Each
     * that is shut opens at its time, and the last of them lets it in.
     */
    private Optional<Instant> allOpen() {
        var times =
                Stream.concat(
                                given.budgets().stream()
                                        .filter(budget -> !budget.open())
                                        .map(Fact.Budget::opens),
                                given.quotas().stream()
                                        .filter(quota -> !quota.open())
                                        .map(ExecutionExplainer::opens))
                        .toList();
        return times.stream().allMatch(Optional::isPresent)
                ? times.stream().flatMap(Optional::stream).max(Comparator.naturalOrder())
                : Optional.empty();
    }

    private static Optional<Instant> opens(QuotaView quota) {
        boolean waitsForPlace =
                quota.quota().concurrency().filter(most -> quota.running() >= most).isPresent();
        return waitsForPlace ? Optional.empty() : quota.opens();
    }

    /** The sentence; on the way the facts that it is made of are told. */
    private String words() {
        return switch (view.state()) {
            case Ready ready -> ready();
            case Delayed delayed -> delayed(delayed);
            case Blocked blocked -> blocked(blocked);
            case Granted granted ->
                    "granted to session %s until %s".formatted(granted.to(), granted.until());
            case Running running -> running();
            case Suspended suspended -> suspended(suspended);
            case Finished finished -> finished(finished);
        };
    }

    private String ready() {
        var workers = told(workers());
        var ahead = told(given.ahead());
        tellBounds();
        var expired = view.deadline().filter(at -> !at.isAfter(given.now()));
        return expired.map(at -> "its deadline passed at %s; it expires %s".formatted(at, SOON))
                .orElseGet(() -> "ready: %s; %s".formatted(workers.words(), ahead.words()));
    }

    private String delayed(Delayed delayed) {
        var delay = told(delay(delayed));
        var failure = lastFailure().map(this::told);
        if (!delayed.until().isAfter(given.now())) {
            return "its delay was over at %s; it becomes ready %s".formatted(delayed.until(), SOON);
        }
        return joined(
                delay.words(),
                failure.filter(cause -> delayed.by() == DelayedBy.BACKOFF).map(Fact::words));
    }

    private String blocked(Blocked blocked) {
        return switch (blocked.by()) {
            case OPERATOR -> held(blocked);
            case LANE -> {
                var lane = told(closedLane());
                told(workers());
                tellBounds();
                yield lane.words();
            }
            case ROUTE -> {
                told(workers());
                tellBounds();
                yield blocked.detail();
            }
            case BUDGET, QUOTA -> {
                tellBounds();
                told(workers());
                yield blocked.detail();
            }
            case DEPENDENCIES ->
                    given.upstreams().map(this::told).map(Fact::words).orElse(blocked.detail());
        };
    }

    private String held(Blocked blocked) {
        var step = given.step().map(this::told);
        if (blocked.behind() instanceof Delayed delayed) {
            told(delay(delayed));
            lastFailure().ifPresent(this::told);
        }
        return step.map(s -> "held since %s%s".formatted(s.at(), signed(s.by())))
                .orElse("held by an operator: " + blocked.detail());
    }

    private String running() {
        var holder = given.holder().map(this::told);
        var report = view.progress().map(Fact.Reported::new).map(this::told);
        lastFailure().ifPresent(this::told);
        return holder.filter(by -> !by.alive(given.now()))
                .map(
                        dead ->
                                "its worker %s, instance %s, died at %s; it returns to the queue %s"
                                        .formatted(
                                                dead.owner().worker(),
                                                dead.owner().instance(),
                                                dead.aliveUntil(),
                                                SOON))
                .orElseGet(
                        () ->
                                joined(
                                        "running" + holder.map(by -> " " + by.words()).orElse(""),
                                        report.map(Fact::words)));
    }

    private String suspended(Suspended suspended) {
        var waits = given.awaiting().pending().map(wait -> told(Fact.Waits.of(wait)));
        return joined(
                "suspended since %s: %s%s"
                        .formatted(
                                suspended.since(),
                                suspended.reason().wire(),
                                suspended.timeoutAt().map(at -> ", until " + at).orElse("")),
                waits.map(Fact::words));
    }

    private String finished(Finished finished) {
        var end = told(new Fact.End(finished.outcome(), finished.at()));
        lastFailure().ifPresent(this::told);
        var by = view.endedBy().filter(Attribution::isOperator);
        var cause =
                switch (finished.outcome()) {
                    case FAILED -> view.failure();
                    // Otherwise it is of an earlier attempt.
                    case CANCELLED ->
                            view.failure()
                                    .filter(f -> f.category().equals(Failure.CANCELLED))
                                    .filter(f -> by.isEmpty());
                    case SUCCESS, EXPIRED, SKIPPED -> Optional.<Failure>empty();
                };
        return end.words()
                + signed(by)
                + cause.map(f -> "; %s: %s".formatted(f.category(), f.message())).orElse("");
    }

    private Fact.Workers workers() {
        var serving = given.alive().stream().filter(s -> s.serves(view.lane())).count();
        var obstacle =
                CapabilityRouting.obstacle(
                        view.lane(), view.kind(), view.policy().needs(), given.alive());
        return new Fact.Workers(
                view.lane(),
                (int) serving,
                CompetingWork.of(view, given.alive()).workers().size(),
                given.held(),
                view.state() instanceof Blocked blocked && blocked.by() == BlockedBy.ROUTE
                        ? Optional.of(blocked.detail())
                        : obstacle);
    }

    /** Budgets and quotas; those that hold it back come first. */
    private void tellBounds() {
        tellBounds(false);
        tellBounds(true);
    }

    private void tellBounds(boolean open) {
        given.budgets().stream().filter(budget -> budget.open() == open).forEach(this::told);
        given.quotas().stream()
                .filter(quota -> quota.open() == open)
                .forEach(quota -> told(new Fact.Quota(quota)));
    }

    private Fact.ClosedLane closedLane() {
        var lane = given.lane();
        return new Fact.ClosedLane(
                lane.lane(), lane.settings().state(), lane.changed(), given.laneBy());
    }

    private static Fact.Delay delay(Delayed delayed) {
        return new Fact.Delay(delayed.until(), delayed.by(), delayed.next());
    }

    private Optional<Fact.LastFailure> lastFailure() {
        return view.failure()
                .map(
                        failure ->
                                new Fact.LastFailure(
                                        failure, view.retries(), view.policy().retry().max()));
    }

    private <F extends Fact> F told(F fact) {
        facts.add(fact);
        return fact;
    }

    private static String signed(Optional<Attribution> by) {
        return by.map(who -> ", by %s: %s".formatted(who.actor(), who.reason())).orElse("");
    }

    private static String joined(String first, Optional<String> second) {
        return Stream.concat(Stream.of(first), second.stream()).collect(Collectors.joining("; "));
    }
}
