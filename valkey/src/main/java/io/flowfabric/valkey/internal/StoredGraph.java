package io.flowfabric.valkey.internal;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowGraph;
import io.flowfabric.core.decision.FlowSettlement.MemberStep;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.valkey.internal.ExecutionFacts.Decidable;
import io.flowfabric.valkey.internal.record.ExecutionFields.MemberPlace;
import io.flowfabric.valkey.internal.record.MemberLayout;
import io.flowfabric.valkey.internal.wire.Item;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;

/**
 * The graph of a flow as it is stored. It is read piece by piece, and not at one time: whoever
 * writes something by it compares the version of the flow, with which everything here changes, and
 * the executions that take steps.
 */
final class StoredGraph implements FlowGraph {
    private static final Logger log = LoggerFactory.getLogger(StoredGraph.class);

    /** How many members or arcs are read with one call. */
    private static final int PORTION = 2000;

    private final ValkeyContext valkey;
    private final Partition home;
    private final UUID flow;
    private final FlowArcs arcs;
    private final Map<Integer, Decidable> executions = new HashMap<>();

    // What was read at once, because it is mostly all that is needed.
    private final Map<Integer, MemberRecord> knownMembers = new HashMap<>();
    private final Map<Integer, List<Arc>> knownArcs = new HashMap<>();
    private final Map<Integer, ExecutionFacts> knownFacts = new HashMap<>();

    StoredGraph(ValkeyContext valkey, Partition home, UUID flow) {
        this.valkey = valkey;
        this.home = home;
        this.flow = flow;
        this.arcs = new FlowArcs(valkey, home, flow);
    }

    /**
     * Takes what is around members that end, so that it need not be read piece by piece.
     *
     * @param ended members and arcs, as {@code around} tells of them
     * @param facts of executions of members that may be decided
     */
    void know(List<Item> members, Item packedArcs, List<Integer> ended, List<WaitingFacts> facts) {
        for (int n = 0; n < members.size(); n += 2) {
            int number = members.get(n).small();
            knownMembers.put(number, member(number, members.get(n + 1)));
        }
        if (!packedArcs.isAbsent()) {
            ended.forEach(number -> knownArcs.put(number, new ArrayList<>()));
            FlowArcs.read(packedArcs)
                    .forEach(
                            arc ->
                                    knownArcs
                                            .computeIfAbsent(
                                                    arc.upstream(), none -> new ArrayList<>())
                                            .add(arc));
        }
        for (var waiting : facts) {
            var member = Objects.requireNonNull(knownMembers.get(waiting.number));
            knownFacts.put(
                    waiting.number,
                    new ExecutionFacts(
                            member.execution(),
                            waiting.packed,
                            waiting.submitted,
                            waiting.words,
                            waiting.remembered));
        }
    }

    /** What is stored of the execution of a member that may be decided. */
    record WaitingFacts(int number, Item packed, Item submitted, Item words, Item remembered) {}

    /** The execution of a member, as far as its facts were asked for. */
    Decidable execution(int member) {
        return Optional.ofNullable(executions.get(member)).orElseThrow();
    }

    @Override
    public List<MemberRecord> members(Collection<Integer> numbers) {
        var unknown = numbers.stream().filter(it -> !knownMembers.containsKey(it)).toList();
        if (!unknown.isEmpty()) {
            var told = memberFields(unknown);
            for (int n = 0; n < unknown.size(); n++) {
                knownMembers.put(unknown.get(n), member(unknown.get(n), told.at(n)));
            }
        }
        return numbers.stream().map(knownMembers::get).toList();
    }

    private Item memberFields(Collection<Integer> numbers) {
        return valkey.read(
                        "read",
                        home,
                        out ->
                                out.list(1)
                                        .list(2)
                                        .text("member")
                                        .list(numbers, (o, number) -> o.bytes(field(number))))
                .answer()
                .at(0);
    }

    private byte[] field(int number) {
        return ByteBuffer.allocate(2 * Long.BYTES + Integer.BYTES)
                .putLong(flow.getMostSignificantBits())
                .putLong(flow.getLeastSignificantBits())
                .putInt(number)
                .array();
    }

    private MemberRecord member(int number, Item stored) {
        try {
            return MemberLayout.read(number, stored);
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable(
                    "The member %d of the flow %s".formatted(number, flow), damaged);
        }
    }

    @Override
    public List<MemberRecord> live(int after, int max) {
        return membersFrom(after + 1, max, true);
    }

    /** Members from a number on, in the order of their numbers. */
    List<MemberRecord> membersFrom(int first, int max, boolean onlyLive) {
        var found = new ArrayList<MemberRecord>();
        int from = first;
        while (found.size() < max) {
            int start = from;
            int most = Math.min(PORTION, max - found.size());
            var told =
                    valkey.read(
                                    "members_from",
                                    home,
                                    out ->
                                            out.list(4)
                                                    .uuid(flow)
                                                    .number(start)
                                                    .number(most)
                                                    .truth(onlyLive))
                            .answer()
                            .list();
            for (int n = 0; n < told.size(); n += 2) {
                found.add(member(told.get(n).small(), told.get(n + 1)));
            }
            if (told.size() < 2 * most) {
                break;
            }
            from = found.getLast().number() + 1;
        }
        return found;
    }

    @Override
    public List<Arc> from(List<Position> positions, int max) {
        if (positions.stream().allMatch(it -> knownArcs.containsKey(it.upstream()))) {
            return positions.stream()
                    .flatMap(
                            it ->
                                    knownArcs.getOrDefault(it.upstream(), List.of()).stream()
                                            .filter(arc -> arc.downstream() > it.after()))
                    .limit(max)
                    .toList();
        }
        return arcs.from(
                positions.stream()
                        .flatMap(it -> List.of(it.upstream(), it.after()).stream())
                        .toList(),
                max);
    }

    @Override
    public List<Arc> into(int member, int after, int max) {
        return arcs.into(member, after, max);
    }

    /** The arcs in the order of their upstreams, from one on. */
    List<Arc> arcsFrom(int before, int max) {
        return arcs.all(before, max);
    }

    @Override
    public Set<Integer> needed(Collection<Integer> members, Collection<Integer> except) {
        return Set.copyOf(
                valkey.read(
                                "needed",
                                home,
                                out ->
                                        out.list(3)
                                                .uuid(flow)
                                                .list(members, (o, it) -> o.number(it))
                                                .list(except, (o, it) -> o.number(it)))
                        .answer()
                        .list(Item::small));
    }

    @Override
    public Map<Integer, Facts> facts(Collection<MemberRecord> members) {
        var unknown = members.stream().filter(it -> !knownFacts.containsKey(it.number())).toList();
        if (!unknown.isEmpty()) {
            var read =
                    ExecutionFacts.read(
                            valkey, home, unknown.stream().map(MemberRecord::execution).toList());
            for (int n = 0; n < unknown.size(); n++) {
                knownFacts.put(unknown.get(n).number(), read.all().get(n));
            }
        }
        var facts = new HashMap<Integer, Facts>();
        for (var member : members) {
            readable(member.number(), Objects.requireNonNull(knownFacts.get(member.number())))
                    .ifPresent(
                            stored -> {
                                executions.put(member.number(), stored);
                                facts.put(member.number(), stored.facts());
                            });
        }
        return facts;
    }

    @Override
    public Optional<Facts> parent(ExecutionId execution) {
        var found = ExecutionFacts.read(valkey, home, List.of(execution)).all().getFirst();
        if (found.packed().isAbsent()) {
            return Optional.empty();
        }
        try {
            var stored = found.readable();
            executions.put(MemberStep.PARENT, stored);
            return Optional.of(stored.facts());
        } catch (NotFound other) {
            // Its id is that of another one by now.
            return Optional.empty();
        } catch (StoreFailure damaged) {
            log.warn("What awaits the flow {} cannot be read, and stays as it is", flow, damaged);
            return Optional.empty();
        }
    }

    /** The execution of a member; nothing when it is gone, or cannot be read. */
    private Optional<Decidable> readable(int number, ExecutionFacts found) {
        if (found.packed().isAbsent()) {
            return Optional.empty();
        }
        try {
            var place = Optional.of(new MemberPlace(flow, number));
            return Optional.of(found.readable()).filter(it -> it.row().member().equals(place));
        } catch (StoreFailure damaged) {
            log.warn("A member of the flow {} cannot be read, and stays as it is", flow, damaged);
            return Optional.empty();
        }
    }
}
