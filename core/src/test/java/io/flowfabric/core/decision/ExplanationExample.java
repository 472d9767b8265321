package io.flowfabric.core.decision;

import static io.flowfabric.core.Examples.NOON;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.ViewExample;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.state.ExecutionState;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An execution that is explained at noon, in an active lane without workers, budgets or quotas; a
 * test adds what matters to it.
 */
final class ExplanationExample {
    private final ExecutionView view;
    private LaneSettings.State lane = LaneSettings.State.ACTIVE;
    private Optional<Attribution> laneBy = Optional.empty();
    private Optional<Fact.Step> step = Optional.empty();
    private Optional<Fact.Holder> holder = Optional.empty();
    private final List<Session> alive = new ArrayList<>();
    private final List<Fact.Budget> budgets = new ArrayList<>();
    private final List<QuotaView> quotas = new ArrayList<>();
    private int held;
    private int ahead;
    private Optional<Fact.PendingUpstreams> upstreams = Optional.empty();

    private ExplanationExample(ExecutionView view) {
        this.view = view;
    }

    static ExplanationExample of(ViewExample view) {
        return new ExplanationExample(view.view());
    }

    static ExplanationExample of(ExecutionState state) {
        return of(ViewExample.in(state));
    }

    ExplanationExample lane(LaneSettings.State other, Attribution by) {
        lane = other;
        laneBy = Optional.of(by);
        return this;
    }

    ExplanationExample step(Fact.Step other) {
        step = Optional.of(other);
        return this;
    }

    ExplanationExample holder(Fact.Holder other) {
        holder = Optional.of(other);
        return this;
    }

    ExplanationExample alive(Session... others) {
        alive.addAll(List.of(others));
        return this;
    }

    ExplanationExample budgets(Fact.Budget... others) {
        budgets.addAll(List.of(others));
        return this;
    }

    ExplanationExample quotas(QuotaView... others) {
        quotas.addAll(List.of(others));
        return this;
    }

    ExplanationExample held(int executions) {
        held = executions;
        return this;
    }

    ExplanationExample ahead(int executions) {
        ahead = executions;
        return this;
    }

    ExplanationExample upstreams(Fact.PendingUpstreams other) {
        upstreams = Optional.of(other);
        return this;
    }

    Explanation explain() {
        return ExecutionExplainer.explain(
                new ExplanationInput(
                        view,
                        new LaneView(
                                view.lane(), LaneSettings.DEFAULT.state(lane), NOON, "ada", NOON),
                        laneBy,
                        step,
                        holder,
                        alive,
                        budgets,
                        quotas,
                        held,
                        Fact.Ahead.of(ahead),
                        NOON,
                        Awaiting.NOTHING,
                        upstreams));
    }
}
