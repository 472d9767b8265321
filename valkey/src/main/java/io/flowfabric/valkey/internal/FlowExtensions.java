package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowAcceptance;
import io.flowfabric.core.decision.FlowChanges;
import io.flowfabric.core.decision.FlowChanges.Extended;
import io.flowfabric.core.decision.FlowGraph;
import io.flowfabric.core.decision.FlowNews;
import io.flowfabric.core.decision.FlowSettlement;
import io.flowfabric.core.decision.FlowSettlement.MemberStep;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.FlowExtension;
import io.flowfabric.core.flow.FlowView;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.FlowHomes.Located;
import io.flowfabric.valkey.internal.FlowWrite.FlowStep;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;

/** Changes of graphs: all of a graph is read, and what the change comes to is written at once. */
final class FlowExtensions {
    private final ValkeyContext valkey;
    private final FlowHomes homes;
    private final FlowSettling settling;
    private final FlowMembers members;

    FlowExtensions(ValkeyContext valkey, FlowSettling settling) {
        this.valkey = valkey;
        this.settling = settling;
        this.homes = new FlowHomes(valkey);
        this.members = new FlowMembers(valkey);
    }

    FlowView extend(FlowExtension change) {
        var located = homes.find(change.flow());
        return GuardedWrites.retry("the flow " + change.flow(), () -> attempt(change, located));
    }

    private Optional<FlowView> attempt(FlowExtension change, Located located) {
        var home = located.home();
        settling.settle(home, change.flow().uuid());
        var flow = homes.find(change.flow()).flow();
        if (FlowChanges.repeated(flow.record(), change)) {
            return Optional.of(flow.view());
        }
        if (!flow.settled()) {
            // A member has ended meanwhile: that comes first.
            return Optional.empty();
        }
        var holder = change.by().map(fence -> holder(located, fence));
        var stored = new StoredGraph(valkey, home, change.flow().uuid());
        var known = stored.membersFrom(0, (int) Limit.FLOW_MEMBERS.max(), false);
        var arcs = stored.arcsFrom(0, (int) Limit.FLOW_EDGES.max());
        var extended = FlowChanges.extend(flow.record(), known, arcs, change, flow.now());
        var work = FlowMembers.work(flow.record(), change.members());
        var graph = new ExtendedGraph(stored, known, arcs, extended, work, flow.now());
        var settled =
                FlowSettlement.extend(
                        extended.flow(), graph, extended.toDecide(), flow.now(), FlowSettling.MOST);
        var write = FlowWrite.of(flow).become(extended.flow()).change(extended.changed());
        holder.ifPresent(it -> write.begin(FlowStep.held(it, change.by().orElseThrow())));
        members.come(write, home, work, extended.members());
        write.connect(extended.arcs())
                .tell(
                        FlowNews.of(
                                extended.flow(),
                                Event.FlowStep.EXTENDED,
                                Optional.empty(),
                                flow.now()),
                        flow.record().tags());
        write.settle(settled, flow.now());
        settled.steps().forEach(step -> write.step(graph.step(step)));
        var told = write.write(valkey, home);
        if (told.word().equals("unheld")) {
            var fence = change.by().orElseThrow();
            throw ValkeyLeases.standing(fence, told.why()).lost(fence);
        }
        members.clear(told, home, work);
        if (told.done() && settled.flow().unsettled()) {
            settling.settle(home, change.flow().uuid());
            return Optional.of(homes.find(change.flow()).flow().view());
        }
        return told.done() ? Optional.of(FlowView.of(settled.flow())) : Optional.empty();
    }

    /** The execution under whose lease a flow is changed, which has to be one of its members. */
    private Decidable holder(Located located, Fence fence) {
        var stored =
                ExecutionFacts.read(valkey, located.home(), List.of(fence.execution()))
                        .all()
                        .getFirst()
                        .readable();
        var flow = located.flow().record().id().uuid();
        boolean member = stored.row().member().filter(it -> it.flow().equals(flow)).isPresent();
        if (!member || !stored.row().isHeldBy(fence)) {
            throw stored.row().standing().lost(fence);
        }
        return stored;
    }

    /** A graph as it is after a change that is not written yet. */
    private static final class ExtendedGraph implements FlowGraph {
        private final StoredGraph stored;
        private final List<MemberRecord> members;
        private final List<Arc> arcs;
        private final List<Submission> work;
        private final int before;
        private final Instant now;

        ExtendedGraph(
                StoredGraph stored,
                List<MemberRecord> known,
                List<Arc> knownArcs,
                Extended change,
                List<Submission> work,
                Instant now) {
            this.stored = stored;
            this.before = known.size();
            this.members = new ArrayList<>(known);
            this.arcs = new ArrayList<>(knownArcs);
            this.work = work;
            this.now = now;
            change.changed().forEach(member -> members.set(member.number(), member));
            members.addAll(change.members());
            arcs.addAll(change.arcs());
        }

        FlowStep step(MemberStep step) {
            int number = step.member();
            return number < before
                    ? FlowStep.of(stored.execution(number), step.change())
                    : new FlowStep(
                            work.get(number - before),
                            Optional.empty(),
                            Optional.of(step.change()),
                            Optional.empty(),
                            Optional.empty());
        }

        @Override
        public Collection<MemberRecord> members(Collection<Integer> numbers) {
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

        @Override
        public Set<Integer> needed(Collection<Integer> some, Collection<Integer> except) {
            var asked = Set.copyOf(some);
            return arcs.stream()
                    .filter(arc -> asked.contains(arc.upstream()))
                    .filter(arc -> !except.contains(arc.downstream()))
                    .filter(arc -> members.get(arc.downstream()).waits())
                    .map(Arc::upstream)
                    .collect(Collectors.toSet());
        }

        @Override
        public Map<Integer, Facts> facts(Collection<MemberRecord> some) {
            var facts =
                    new HashMap<>(
                            stored.facts(
                                    some.stream().filter(it -> it.number() < before).toList()));
            some.stream()
                    .filter(it -> it.number() >= before)
                    .forEach(it -> facts.put(it.number(), coming(it)));
            return facts;
        }

        @Override
        public Optional<Facts> parent(ExecutionId execution) {
            return stored.parent(execution);
        }

        private Facts coming(MemberRecord member) {
            var one = work.get(member.number() - before);
            var policy = one.policy();
            return new Facts(
                    one.id(),
                    policy,
                    FlowAcceptance.begin(members.get(member.number()), policy, now),
                    policy.priority(),
                    0,
                    0,
                    0,
                    0,
                    policy.deadlineFrom(now),
                    Optional.empty());
        }
    }
}
