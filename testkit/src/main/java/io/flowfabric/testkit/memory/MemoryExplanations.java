package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.decision.CompetingWork;
import io.flowfabric.core.decision.ExecutionExplainer;
import io.flowfabric.core.decision.ExplanationInput;
import io.flowfabric.core.decision.LaneExplainer;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.query.Explanation;
import io.flowfabric.core.query.Fact;
import io.flowfabric.core.query.Fact.PendingUpstreams.PendingMember;
import io.flowfabric.core.query.LaneExplanation;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;
import io.flowfabric.testkit.memory.LaneRegistry.LaneRecord;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What is found for an explanation. */
final class MemoryExplanations {
    private final MemoryState world;

    MemoryExplanations(MemoryState world) {
        this.world = world;
    }

    Explanation explain(ExecutionView view) {
        var lane = world.lanes.find(view.lane());
        var rivals = CompetingWork.of(view, world.sessions.aliveSessions().toList());
        var row = world.executions.find(view.id());
        boolean ready = row.state instanceof Ready;
        return ExecutionExplainer.explain(
                new ExplanationInput(
                        view,
                        lane.view(),
                        changedBy(lane),
                        lastStep(view.id()),
                        holder(view),
                        world.sessions.aliveSessions().toList(),
                        ready ? world.purses.facts(row).toList() : List.of(),
                        ready ? quotas(row) : List.of(),
                        ready ? held(rivals) : 0,
                        Fact.Ahead.of(ready ? ahead(row, rivals) : 0),
                        world.now(),
                        row.facts().awaiting(),
                        upstreams(row)));
    }

    /** What a member waits for, if it is not decided yet. */
    private Optional<Fact.PendingUpstreams> upstreams(MemoryExecution row) {
        return row.state.situation() == Situation.AWAITING_CHILDREN
                ? row.member
                        .filter(place -> place.flow().members.get(place.number()).waits())
                        .map(place -> upstreams(place.flow(), place.number()))
                : Optional.empty();
    }

    private static Fact.PendingUpstreams upstreams(MemoryFlow flow, int number) {
        var member = flow.members.get(number);
        var pending =
                flow.into(number, -1, Integer.MAX_VALUE).stream()
                        .map(arc -> flow.members.get(arc.upstream()))
                        .filter(MemberRecord::live)
                        .flatMap(
                                upstream ->
                                        flow.row(upstream)
                                                .map(
                                                        row ->
                                                                new PendingMember(
                                                                        upstream.name(),
                                                                        row.state.publicState())))
                        .limit(Fact.PendingUpstreams.MOST)
                        .toList();
        return Fact.PendingUpstreams.of(
                member.join(),
                member.growing(),
                member.edges(),
                member.met(),
                member.missed(),
                pending);
    }

    LaneExplanation explain(Lane lane) {
        var known = world.lanes.find(lane);
        var ready =
                rows(lane, row -> row.state instanceof Ready)
                        .map(
                                row ->
                                        new LaneExplainer.Queue(
                                                row.submission.kind(),
                                                row.policy().needs(),
                                                world.purses.obstacle(row),
                                                quotas(row),
                                                1))
                        .toList();
        var others =
                rows(lane, row -> row.live() && !(row.state instanceof Ready))
                        .collect(
                                Collectors.groupingBy(
                                        row -> row.state.situation(), Collectors.counting()));
        return LaneExplainer.explain(
                known.view(),
                changedBy(known),
                ready,
                others,
                world.sessions.aliveSessions().toList());
    }

    /** Who made a lane what it is, if that is anything to explain. */
    private static Optional<Attribution> changedBy(LaneRecord lane) {
        return lane.settings.state() == LaneSettings.State.ACTIVE
                ? Optional.empty()
                : lane.changedBy;
    }

    private Optional<Fact.Step> lastStep(ExecutionId execution) {
        return world.log
                .backwards()
                .filter(Event.Step.class::isInstance)
                .map(Event.Step.class::cast)
                .filter(step -> step.execution().equals(execution))
                .filter(step -> step.transition() != Transition.REPRIORITISE)
                .findFirst()
                .map(step -> new Fact.Step(step.transition(), step.at(), step.by()));
    }

    private Optional<Fact.Holder> holder(ExecutionView view) {
        return view.state() instanceof Running running
                ? world.sessions
                        .unburied(running.session())
                        .map(living -> holder(living, view.owner().orElseThrow(), running.since()))
                : Optional.empty();
    }

    private static Fact.Holder holder(SessionRecord living, Owner owner, Instant since) {
        return new Fact.Holder(owner, since, living.renewed(), living.end());
    }

    private int held(CompetingWork rivals) {
        return rivals.workers().stream()
                .mapToInt(worker -> world.executions.runningIn(worker.id()))
                .sum();
    }

    private List<QuotaView> quotas(MemoryExecution row) {
        return world.meters.views(row, world.now()).toList();
    }

    private int ahead(MemoryExecution self, CompetingWork rivals) {
        var settings = world.lanes.settings(self.lane());
        var place = self.place(settings);
        return (int)
                rows(self.lane(), row -> row.state instanceof Ready)
                        .filter(row -> world.purses.obstacle(row).isEmpty())
                        .filter(
                                row ->
                                        rivals.include(
                                                row.submission.kind(),
                                                row.policy().needs(),
                                                quotas(row)))
                        .filter(row -> !row.facts().pastDeadline(world.now()))
                        .filter(row -> row.place(settings).compareTo(place) < 0)
                        .limit(Fact.Ahead.MOST + 1)
                        .count();
    }

    private Stream<MemoryExecution> rows(Lane lane, Predicate<MemoryExecution> which) {
        return world.executions.rows().stream()
                .filter(row -> row.lane().equals(lane))
                .filter(which);
    }
}
