package io.flowfabric.testkit.contract;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.Answer;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Ended;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;

import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Function;

/** A flow that is played through in a test, its members by their names. */
final class FlowPlay {
    private static final int PAGE = 7;

    private final Scenario world;
    private final FlowId id;
    private final ScenarioWorker worker;

    private FlowPlay(Scenario world, FlowId id) {
        this.world = world;
        this.id = id;
        this.worker = world.worker();
    }

    /** Submits a flow. */
    static FlowPlay of(Scenario world, FlowSubmission flow) {
        return new FlowPlay(world, world.store().flows().submit(flow).id());
    }

    FlowId id() {
        return id;
    }

    ScenarioWorker worker() {
        return worker;
    }

    ExecutionId execution(String member) {
        return member(member).execution();
    }

    MemberView member(String name) {
        return members().stream().filter(it -> it.name().equals(name)).findFirst().orElseThrow();
    }

    List<MemberView> members() {
        return Everything.pages(after -> world.store().flows().members(id, after, PAGE));
    }

    PublicState state(String member) {
        return member(member).state();
    }

    Map<String, PublicState> states() {
        return members().stream()
                .collect(toMap(MemberView::name, MemberView::state, (a, b) -> a, TreeMap::new));
    }

    FlowView view() {
        return world.store().flows().describe(List.of(id)).getFirst().orThrow();
    }

    FlowState state() {
        return view().state();
    }

    List<Upstream> upstreams(String member) {
        var execution = execution(member);
        return Everything.pages(after -> world.store().flows().upstreams(execution, after, PAGE));
    }

    /** A worker begins with a member. */
    Lease begin(String member) {
        return world.claimByHand(execution(member), worker).orThrow();
    }

    /** What a worker that wants all there is would get, by the names of members. */
    List<String> claimable() {
        var names = members().stream().collect(toMap(MemberView::execution, MemberView::name));
        var leases = worker.claim(256);
        leases.forEach(lease -> world.end(Endings.release(lease)).orThrow());
        return leases.stream()
                .map(Given::idOf)
                .map(execution -> names.getOrDefault(execution, "?"))
                .sorted()
                .toList();
    }

    /** Members are begun, and end in one call. */
    List<Answer<Ended>> end(Function<Lease, Ending> how, String... members) {
        var endings = Arrays.stream(members).map(this::begin).map(how).toList();
        return world.store().leases().end(endings);
    }

    void complete(String... members) {
        end(Endings::complete, members).forEach(Answer::orThrow);
    }

    void complete(String member, Payload result) {
        end(lease -> Endings.complete(lease, result), member).forEach(Answer::orThrow);
    }

    void fail(String... members) {
        end(Endings::fail, members).forEach(Answer::orThrow);
    }

    FlowView cancel(Mode mode) {
        return offerCancel(mode).orThrow();
    }

    Answer<FlowView> offerCancel(Mode mode) {
        return world.store().flows().cancel(List.of(id), mode, Scenario.OLGA).getFirst();
    }

    /** A change of the graph as it is now. */
    FlowExtension change() {
        return FlowExtension.of(id, view().revision());
    }

    Answer<FlowView> extend(FlowExtension change) {
        return world.store().flows().extend(List.of(change)).getFirst();
    }
}
