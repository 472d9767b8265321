package io.flowfabric.valkey.internal;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.Payload;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.decision.NumberedPages;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.Flows.Membership;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.query.Fact.PendingUpstreams;
import io.flowfabric.core.query.Fact.PendingUpstreams.PendingMember;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.store.Chunks;
import io.flowfabric.valkey.internal.record.ExecutionFields;
import io.flowfabric.valkey.internal.record.ExecutionFields.MemberPlace;
import io.flowfabric.valkey.internal.record.SubmissionRecord;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiFunction;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What can be read of flows. */
final class FlowReads {
    /** How many results are read with one call: each may be large. */
    private static final int RESULTS = 16;

    /** How many upstreams of a member are looked at with one call. */
    private static final int UPSTREAMS = 250;

    private final ValkeyContext valkey;
    private final FlowHomes homes;

    FlowReads(ValkeyContext valkey) {
        this.valkey = valkey;
        this.homes = new FlowHomes(valkey);
    }

    Payload input(FlowId id) {
        var stored = homes.input(homes.find(id));
        return SubmissionRecord.payload(Item.read(stored.bytes()));
    }

    Page<MemberView> members(FlowId id, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        var home = homes.find(id).home();
        var graph = new StoredGraph(valkey, home, id.uuid());
        return GuardedWrites.retry(
                "the flow " + id,
                () -> {
                    var found = graph.membersFrom(before, max + 1, false);
                    var rows = rows(home, id.uuid(), found);
                    // One that had not ended is there, unless it has ended and was erased since.
                    return found.stream()
                                    .anyMatch(it -> it.live() && !rows.containsKey(it.number()))
                            ? Optional.empty()
                            : Optional.of(
                                    NumberedPages.page(
                                            before,
                                            found.stream().map(it -> view(it, rows)).toList(),
                                            view -> 0,
                                            max,
                                            false));
                });
    }

    private static MemberView view(MemberRecord member, Map<Integer, ExecutionFields> rows) {
        return MemberView.of(
                member,
                Optional.ofNullable(rows.get(member.number()))
                        .map(row -> row.situation().publicState()));
    }

    /** The executions of members that there are, by the numbers of the members. */
    private Map<Integer, ExecutionFields> rows(
            Partition home, UUID flow, List<MemberRecord> members) {
        var told =
                valkey.read(
                                "read",
                                home,
                                out ->
                                        out.list(1)
                                                .list(2)
                                                .text("execution")
                                                .list(
                                                        members,
                                                        (o, it) -> o.uuid(it.execution().uuid())))
                        .answer()
                        .at(0);
        var rows = new HashMap<Integer, ExecutionFields>();
        for (int n = 0; n < members.size(); n++) {
            var member = members.get(n);
            var place = Optional.of(new MemberPlace(flow, member.number()));
            told.at(n)
                    .optional(stored -> row(member.execution(), stored))
                    .filter(row -> row.member().equals(place))
                    .ifPresent(row -> rows.put(member.number(), row));
        }
        return rows;
    }

    private static ExecutionFields row(ExecutionId id, Item stored) {
        try {
            return ExecutionFields.read(id.uuid(), stored.bytes());
        } catch (Item.Unreadable damaged) {
            throw StoreFailure.unreadable("The execution " + id, damaged);
        }
    }

    Page<Edge> edges(FlowId id, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        var graph = new StoredGraph(valkey, homes.find(id).home(), id.uuid());
        var arcs = graph.arcsFrom(before, max + 1);
        var numbers =
                arcs.stream()
                        .flatMap(arc -> Stream.of(arc.upstream(), arc.downstream()))
                        .distinct()
                        .toList();
        var names =
                graph.members(numbers).stream()
                        .collect(Collectors.toMap(MemberRecord::number, MemberRecord::name));
        var edges =
                arcs.stream()
                        .map(
                                arc ->
                                        new Edge(
                                                Objects.requireNonNull(names.get(arc.upstream())),
                                                Objects.requireNonNull(names.get(arc.downstream())),
                                                arc.on()))
                        .toList();
        return NumberedPages.page(before, edges, edge -> 0, max, false);
    }

    Optional<Membership> membership(ExecutionId execution) {
        return atMember(
                execution,
                (home, row) ->
                        row.member()
                                .map(
                                        place -> {
                                            var graph = new StoredGraph(valkey, home, place.flow());
                                            var member =
                                                    graph.members(List.of(place.number()))
                                                            .getFirst();
                                            var flow = homes.read(home, place.flow()).orElseThrow();
                                            return new Membership(
                                                    flow.record().id(), member.name());
                                        }));
    }

    private <R> R atMember(
            ExecutionId execution, BiFunction<Partition, ExecutionFields, R> reader) {
        Function<Partition, R> at =
                home -> {
                    var stored =
                            ExecutionFacts.read(valkey, home, List.of(execution)).all().getFirst();
                    return reader.apply(home, stored.readable().row());
                };
        return valkey.at(execution, at);
    }

    Page<Upstream> upstreams(ExecutionId execution, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        int before = NumberedPages.before(after);
        return atMember(
                execution,
                (home, row) -> {
                    var place =
                            row.member()
                                    .orElseThrow(
                                            () ->
                                                    new NotFound(
                                                            "flow of execution",
                                                            execution.toString()));
                    return upstreams(home, place, before, max);
                });
    }

    private Page<Upstream> upstreams(Partition home, MemberPlace place, int before, int max) {
        var graph = new StoredGraph(valkey, home, place.flow());
        var numbers =
                graph.into(place.number(), -1, before + max + 1).stream()
                        .skip(before)
                        .map(arc -> arc.upstream())
                        .toList();
        var found = new ArrayList<Upstream>();
        long bytes = 0;
        for (var part : Chunks.of(numbers, RESULTS, number -> 0)) {
            var some = upstreams(home, place.flow(), graph.members(part));
            found.addAll(some);
            bytes += some.stream().mapToLong(Upstream::bytes).sum();
            if (bytes > Chunks.BYTES) {
                break;
            }
        }
        return NumberedPages.page(
                before, found, Upstream::bytes, max, found.size() < numbers.size());
    }

    private List<Upstream> upstreams(Partition home, UUID flow, List<MemberRecord> members) {
        var rows = rows(home, flow, members);
        var results =
                Records.details(
                        valkey,
                        home,
                        members.stream()
                                .map(it -> Records.detail(it.execution().uuid(), 'r'))
                                .toList());
        var found = new ArrayList<Upstream>();
        for (int n = 0; n < members.size(); n++) {
            var member = members.get(n);
            boolean success = member.outcome().equals(Optional.of(Outcome.SUCCESS));
            var result =
                    results.get(n)
                            .optional(stored -> SubmissionRecord.payload(Item.read(stored.bytes())))
                            .orElse(Payload.EMPTY);
            found.add(
                    new Upstream(
                            member.name(),
                            member.outcome(),
                            success && rows.containsKey(member.number())
                                    ? Optional.of(result)
                                    : Optional.empty()));
        }
        return found;
    }

    /** A lease that is held, with what its execution comes after as that is now. */
    Lease withUpstreams(Partition home, Lease lease, ExecutionFields row) {
        return row.member()
                .map(place -> upstreams(home, place, 0, Lease.UPSTREAMS + 1).items())
                .map(lease::withUpstreams)
                .orElse(lease);
    }

    /**
     * What a member waits for, if it is not decided yet. It is read piece by piece, so that no call
     * takes long.
     */
    Optional<PendingUpstreams> pending(Partition home, MemberPlace place) {
        var graph = new StoredGraph(valkey, home, place.flow());
        return Optional.of(graph.members(List.of(place.number())).getFirst())
                .filter(MemberRecord::waits)
                .map(member -> pending(home, place.flow(), graph, member));
    }

    private PendingUpstreams pending(
            Partition home, UUID flow, StoredGraph graph, MemberRecord member) {
        var live = new ArrayList<MemberRecord>();
        int after = -1;
        while (live.size() < PendingUpstreams.MOST) {
            var arcs = graph.into(member.number(), after, UPSTREAMS);
            graph.members(arcs.stream().map(Arc::upstream).toList()).stream()
                    .filter(MemberRecord::live)
                    .limit(PendingUpstreams.MOST - live.size())
                    .forEach(live::add);
            if (arcs.size() < UPSTREAMS) {
                break;
            }
            after = arcs.getLast().upstream();
        }
        var rows = rows(home, flow, live);
        return PendingUpstreams.of(
                member.join(),
                member.growing(),
                member.edges(),
                member.met(),
                member.missed(),
                live.stream()
                        // One that is not there has ended since, and was erased.
                        .filter(it -> rows.containsKey(it.number()))
                        .map(it -> new PendingMember(it.name(), view(it, rows).state()))
                        .toList());
    }
}
