package io.flowfabric.postgres.internal.settle;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.decision.Facts;
import io.flowfabric.core.decision.FlowGraph;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.jdbc.Row;
import io.flowfabric.postgres.internal.step.FactsReader;
import io.flowfabric.postgres.internal.step.FactsReader.Locked;

import org.jspecify.annotations.Nullable;

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
 * The graph of one flow, whose lock a transaction has. It is for one decision: what is read once is
 * not read again, and what was read for many flows at once is given to it beforehand.
 */
public final class LockedGraph implements FlowGraph {
    private final PostgresContext postgres;
    private final Jdbc tx;
    private final UUID flow;
    private final Map<Integer, MemberRecord> read = new HashMap<>();

    /** All arcs out of members, of those that they are known of. */
    private final Map<Integer, List<Arc>> from = new HashMap<>();

    /** The executions of members, of those that were looked for; none for one that is not there. */
    private final Map<Integer, Optional<Facts>> facts = new HashMap<>();

    /** The execution that the flow is below, if it was looked for and found. */
    private @Nullable Locked parent;

    /**
     * @param known members that were read before, under the same lock
     */
    public LockedGraph(
            PostgresContext postgres, Jdbc tx, UUID flow, Collection<MemberRecord> known) {
        this.postgres = postgres;
        this.tx = tx;
        this.flow = flow;
        known.forEach(this::know);
    }

    UUID flow() {
        return flow;
    }

    void know(MemberRecord member) {
        read.put(member.number(), member);
    }

    /** Knows all the arcs out of a member. */
    void knowFrom(int upstream, List<Arc> arcs) {
        from.put(upstream, arcs);
    }

    /** Knows the execution of a member, if it was found. */
    void know(MemberRecord member, @Nullable Locked row) {
        // Another execution may have the id of one that was erased.
        facts.put(
                member.number(),
                Optional.ofNullable(row)
                        .filter(its -> its.flow().filter(flow::equals).isPresent())
                        .flatMap(Locked::facts));
    }

    /** Knows the execution that the flow is below. */
    void knowParent(Locked row) {
        parent = row;
    }

    private Query query(String name) {
        return tx.query(name).set("flow", flow);
    }

    private MemberRecord member(Row row) {
        var member = MemberTable.member(row);
        know(member);
        return member;
    }

    @Override
    public List<MemberRecord> members(Collection<Integer> numbers) {
        var unread = numbers.stream().filter(number -> !read.containsKey(number)).toList();
        if (!unread.isEmpty()) {
            query("members_numbered").ints("numbers", unread, number -> number).each(this::member);
        }
        return numbers.stream().map(read::get).filter(Objects::nonNull).toList();
    }

    @Override
    public List<MemberRecord> live(int after, int max) {
        return query("live_members").set("after", after).set("limit", max).list(this::member);
    }

    @Override
    public List<Arc> from(List<Position> positions, int max) {
        if (positions.stream().allMatch(it -> it.after() < 0 && from.containsKey(it.upstream()))) {
            return positions.stream()
                    .flatMap(it -> Objects.requireNonNull(from.get(it.upstream())).stream())
                    .limit(max)
                    .toList();
        }
        return arcs(
                tx.query("edges_from")
                        .uuids("flows", positions, each -> flow)
                        .ints("upstreams", positions, Position::upstream)
                        .ints("afters", positions, Position::after)
                        .set("limit", max));
    }

    @Override
    public List<Arc> into(int member, int after, int max) {
        return arcs(
                query("edges_into").set("member", member).set("after", after).set("limit", max));
    }

    private List<Arc> arcs(Query query) {
        var arcs = new ArrayList<Arc>();
        query.each(
                row -> {
                    arcs.add(MemberTable.arc(row));
                    member(row);
                });
        return arcs;
    }

    @Override
    public Set<Integer> needed(Collection<Integer> members, Collection<Integer> except) {
        return members.isEmpty()
                ? Set.of()
                : Set.copyOf(
                        query("needed_members")
                                .ints("numbers", members, number -> number)
                                .ints("except", except, number -> number)
                                .list(row -> row.intValue("number")));
    }

    @Override
    public Map<Integer, Facts> facts(Collection<MemberRecord> members) {
        var unread = members.stream().filter(it -> !facts.containsKey(it.number())).toList();
        if (!unread.isEmpty()) {
            var ids = unread.stream().map(member -> member.execution().uuid()).toList();
            var locked = FactsReader.lock("facts", tx, postgres, ids);
            unread.forEach(member -> know(member, locked.get(member.execution().uuid())));
        }
        var found = new HashMap<Integer, Facts>();
        for (var member : members) {
            Objects.requireNonNull(facts.get(member.number()))
                    .ifPresent(readable -> found.put(member.number(), readable));
        }
        return found;
    }

    @Override
    public Optional<Facts> parent(ExecutionId execution) {
        var row = parent;
        if (row == null) {
            row =
                    FactsReader.lock("facts", tx, postgres, List.of(execution.uuid()))
                            .get(execution.uuid());
        }
        return Optional.ofNullable(row)
                .filter(its -> its.id().equals(execution))
                .flatMap(Locked::facts);
    }
}
