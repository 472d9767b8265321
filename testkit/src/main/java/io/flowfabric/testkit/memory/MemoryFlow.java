package io.flowfabric.testkit.memory;

import static java.util.stream.Collectors.toMap;
import static java.util.stream.Collectors.toSet;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowGraph;
import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.decision.FlowSettlement.MemberStep;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.state.Outcome;

import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Everything that is stored of one flow beside the executions of its members. */
final class MemoryFlow implements FlowGraph {
    final Payload input;
    final long sequence;
    final List<MemberRecord> members = new ArrayList<>();
    final List<Arc> arcs = new ArrayList<>();

    /** Members that have ended in the present commit, and were not settled yet. */
    final List<EndedMember> ended = new ArrayList<>();

    /** Whether the execution that awaited it has ended in the present commit. */
    boolean abandoned;

    FlowRecord record;

    private final MemoryState world;

    MemoryFlow(MemoryState world, FlowRecord flow, Payload input, long sequence) {
        this.world = world;
        this.record = flow;
        this.input = input;
        this.sequence = sequence;
    }

    void change(Collection<MemberRecord> changed) {
        changed.forEach(member -> members.set(member.number(), member));
    }

    @Override
    public List<MemberRecord> members(Collection<Integer> numbers) {
        return numbers.stream().map(members::get).toList();
    }

    @Override
    public List<MemberRecord> live(int after, int max) {
        return members.stream()
                .filter(member -> member.number() > after && member.live())
                .limit(max)
                .toList();
    }

    @Override
    public List<Arc> from(List<Position> positions, int max) {
        return positions.stream()
                .flatMap(
                        position ->
                                arcs.stream()
                                        .filter(arc -> arc.upstream() == position.upstream())
                                        .filter(arc -> arc.downstream() > position.after())
                                        .sorted(Comparator.comparingInt(Arc::downstream)))
                .limit(max)
                .toList();
    }

    @Override
    public List<Arc> into(int member, int after, int max) {
        return arcs.stream()
                .filter(arc -> arc.downstream() == member && arc.upstream() > after)
                .sorted(Comparator.comparingInt(Arc::upstream))
                .limit(max)
                .toList();
    }

    /** The members that a member comes after, with what they produced. */
    List<Upstream> upstreams(int member) {
        return into(member, -1, Integer.MAX_VALUE).stream()
                .map(arc -> members.get(arc.upstream()))
                .map(it -> new Upstream(it.name(), it.outcome(), result(it)))
                .toList();
    }

    private Optional<Payload> result(MemberRecord member) {
        return member.outcome()
                .filter(how -> how == Outcome.SUCCESS)
                .flatMap(success -> row(member).findFirst())
                .flatMap(row -> row.result);
    }

    @Override
    public Set<Integer> needed(Collection<Integer> some, Collection<Integer> except) {
        return arcs.stream()
                .filter(arc -> some.contains(arc.upstream()))
                .filter(arc -> !except.contains(arc.downstream()))
                .filter(arc -> members.get(arc.downstream()).waits())
                .map(Arc::upstream)
                .collect(toSet());
    }

    @Override
    public Map<Integer, Facts> facts(Collection<MemberRecord> some) {
        return some.stream()
                .filter(member -> row(member).anyMatch(row -> !row.poisoned))
                .collect(
                        toMap(
                                MemberRecord::number,
                                member -> row(member).findFirst().orElseThrow().facts()));
    }

    @Override
    public Optional<Facts> parent(ExecutionId execution) {
        return parentRow(execution).filter(row -> !row.poisoned).map(MemoryExecution::facts);
    }

    private Optional<MemoryExecution> parentRow(ExecutionId execution) {
        return world.executions.byUuid(execution.uuid()).filter(row -> row.id().equals(execution));
    }

    /** Whose step it is: that of a member, or of the execution that awaits this flow. */
    Stream<MemoryExecution> row(MemberStep step) {
        return step.member() == MemberStep.PARENT
                ? parentRow(step.facts().id()).stream()
                : row(members.get(step.member()));
    }

    /** The execution of a member, unless it was forgotten. */
    Stream<MemoryExecution> row(MemberRecord member) {
        return world.executions.byUuid(member.execution().uuid()).stream()
                .filter(row -> row.member.isPresent());
    }
}
