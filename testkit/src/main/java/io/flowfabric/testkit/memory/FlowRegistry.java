package io.flowfabric.testkit.memory;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Digest;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.decision.Change;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.FlowAwaiting;
import io.flowfabric.core.decision.FlowChanges.Extended;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowReopening;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.decision.FlowSettlement.Settled;
import io.flowfabric.core.feed.Event.FlowStep;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.submit.Submission;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;

/**
 * The flows that are stored. What follows from the ends of members is done at the end of the call
 * in which they ended, in the same commit.
 */
final class FlowRegistry {
    private final MemoryState world;
    private final Map<UUID, MemoryFlow> flows = new LinkedHashMap<>();
    private long sequence;

    /** Which member of which flow an execution is. */
    record FlowPlace(MemoryFlow flow, int number) {}

    FlowRegistry(MemoryState world) {
        this.world = world;
    }

    Optional<FlowRecord> known(FlowId id) {
        return Optional.ofNullable(flows.get(id.uuid())).map(flow -> flow.record);
    }

    /**
     * @throws NotFound when there is none of this id
     */
    MemoryFlow find(FlowId id) {
        var flow = flows.get(id.uuid());
        if (flow == null || !flow.record.id().equals(id)) {
            throw new NotFound("flow", id.toString());
        }
        return flow;
    }

    List<MemoryFlow> newestFirst() {
        return new ArrayList<>(flows.values()).reversed();
    }

    // How flows come, and grow.

    void submit(FlowSubmission submission, Digest digest, FlowAcceptance.NumberedGraph graph) {
        var record = FlowRecord.submitted(submission, digest, world.now());
        var flow = new MemoryFlow(world, record, submission.input(), ++sequence);
        flows.put(record.id().uuid(), flow);
        flow.arcs.addAll(graph.arcs());
        add(flow, graph.members(), submission.members());
        tell(flow.record, FlowStep.SUBMITTED, Optional.empty());
        // A flow without members has nothing to wait for.
        settle(flow);
    }

    void extend(MemoryFlow flow, Extended change, List<Member> members, Optional<Attribution> by) {
        flow.record = change.flow();
        flow.change(change.changed());
        flow.arcs.addAll(change.arcs());
        add(flow, change.members(), members);
        tell(flow.record, FlowStep.EXTENDED, by);
        write(
                flow,
                FlowSettlement.extend(
                        flow.record, flow, change.toDecide(), world.now(), Integer.MAX_VALUE));
    }

    private void add(MemoryFlow flow, List<MemberRecord> records, List<Member> members) {
        for (int i = 0; i < records.size(); i++) {
            var member = records.get(i);
            flow.members.add(member);
            var work = flow.record.policy().submission(members.get(i));
            var begin = FlowAcceptance.begin(member, work.policy(), world.now());
            world.steps.submit(work, work.digest(), begin).member =
                    Optional.of(new FlowPlace(flow, member.number()));
        }
    }

    /** Refuses members whose work would be refused, each as if it were submitted by itself. */
    void mustTake(FlowRecord flow, List<Member> members) {
        for (var member : members) {
            var work = flow.policy().submission(member);
            mustBeNew(work);
            MemorySubmissions.mustTake(world, work);
        }
    }

    private void mustBeNew(Submission work) {
        if (world.executions.byUuid(work.id().uuid()).isPresent()) {
            throw new Conflict(
                    Conflict.Code.ID_TAKEN,
                    work.id().toString(),
                    "This id is that of an execution already: mint another one for the member.");
        }
    }

    // What happens in them.

    void cancelled(MemoryFlow flow, FlowRecord cancelled, Attribution by) {
        flow.record = cancelled;
        tell(cancelled, FlowStep.CANCELLED, Optional.of(by));
        settle(flow);
    }

    /** Takes note that a member has ended. */
    void ended(FlowPlace place, Outcome outcome) {
        place.flow.ended.add(new EndedMember(place.number, outcome));
    }

    /** Takes note that an execution has ended that awaited a flow. */
    void abandoned(FlowId id) {
        Optional.ofNullable(flows.get(id.uuid())).ifPresent(flow -> flow.abandoned = true);
    }

    /** Does what follows in the present commit: what is done in one flow may end others. */
    void settle() {
        for (var due = due(); due.isPresent(); due = due()) {
            var flow = due.get();
            if (flow.abandoned) {
                flow.abandoned = false;
                FlowAwaiting.abandoned(flow.record, world.now())
                        .ifPresent(
                                cancelled ->
                                        cancelled(
                                                flow,
                                                cancelled,
                                                cancelled.cancelled().orElseThrow().by()));
            } else {
                settle(flow);
            }
        }
    }

    private Optional<MemoryFlow> due() {
        return flows.values().stream()
                .filter(flow -> flow.abandoned || !flow.ended.isEmpty())
                .findFirst();
    }

    private void settle(MemoryFlow flow) {
        // Steps that are taken here end members as well; those are known already.
        var ended = List.copyOf(flow.ended);
        write(
                flow,
                FlowSettlement.settle(flow.record, flow, ended, world.now(), Integer.MAX_VALUE));
    }

    private void write(MemoryFlow flow, Settled settled) {
        FlowNews.ended(flow.record, settled.flow(), world.now())
                .ifPresent(event -> world.log.append(event, flow.record.tags()));
        flow.record = settled.flow();
        flow.change(settled.members());
        settled.steps()
                .forEach(
                        step ->
                                flow.row(step)
                                        .forEach(row -> world.steps.apply(row, step.change())));
        flow.ended.clear();
    }

    /** Replays a member with everything that depended on it. */
    void replay(MemoryExecution row, FlowPlace place, Change replay) {
        settle();
        var flow = place.flow;
        boolean wasOver = flow.record.state().ended();
        var there = flow.facts(FlowReopening.skipped(flow.members, place.number)).keySet();
        var reopened =
                FlowReopening.reopen(
                        flow.record, flow.members, flow.arcs, place.number, there, world.now());
        flow.record = reopened.flow();
        flow.change(reopened.members());
        for (int number : reopened.open()) {
            boolean waits = reopened.waits(number);
            Function<MemoryExecution, Change> change =
                    it -> FlowReopening.change(it.facts(), waits, world.now());
            if (number == place.number) {
                world.steps.apply(row, waits ? FlowReopening.waiting(row.facts(), replay) : replay);
            } else {
                flow.row(flow.members.get(number))
                        .forEach(it -> world.steps.apply(it, change.apply(it)));
            }
        }
        if (wasOver) {
            tell(flow.record, FlowStep.REOPENED, replay.by());
        }
    }

    /** Forgets flows that have ended long ago, and of whose members none is left. */
    void forget(Function<FlowRecord, Duration> retention) {
        flows.values()
                .removeIf(
                        flow ->
                                flow.record
                                                .endedAt()
                                                .map(at -> at.plus(retention.apply(flow.record)))
                                                .filter(due -> !due.isAfter(now()))
                                                .isPresent()
                                        && flow.members.stream()
                                                .noneMatch(
                                                        member ->
                                                                flow.row(member)
                                                                        .findAny()
                                                                        .isPresent()));
    }

    private Instant now() {
        return world.now();
    }

    private void tell(FlowRecord flow, FlowStep step, Optional<Attribution> by) {
        world.log.append(FlowNews.of(flow, step, by, world.now()), flow.tags());
    }
}
