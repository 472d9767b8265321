package io.flowfabric.postgres.internal.settle;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.FlowSettler.Ends;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.UUID;

/**
 * The graphs of many flows, whose locks a transaction has. What is certain to be asked for when
 * members have ended is read for all flows at once: those that come after the ended ones, and the
 * executions of those that are decided by it.
 */
final class LockedGraphs {
    /** As many arcs are read ahead; behind them each graph reads on for itself. */
    private static final int AHEAD = 1000;

    private final PostgresContext postgres;
    private final Jdbc tx;
    private final Map<UUID, LockedGraph> graphs;

    private LockedGraphs(PostgresContext postgres, Jdbc tx, Map<UUID, LockedGraph> graphs) {
        this.postgres = postgres;
        this.tx = tx;
        this.graphs = graphs;
    }

    static LockedGraphs read(PostgresContext postgres, Jdbc tx, Collection<UUID> flows, Ends ends) {
        var graphs =
                new LockedGraphs(
                        postgres,
                        tx,
                        flows.stream()
                                .collect(
                                        toMap(
                                                id -> id,
                                                id ->
                                                        new LockedGraph(
                                                                postgres,
                                                                tx,
                                                                id,
                                                                ends.members(id)))));
        graphs.readAhead(
                ends.all().stream().filter(end -> graphs.graphs.containsKey(end.flow())).toList());
        return graphs;
    }

    LockedGraph of(UUID flow) {
        return Objects.requireNonNull(graphs.get(flow));
    }

    /** A member that has ended, of a flow. */
    record End(UUID flow, int number, Outcome outcome) {}

    /** Where an arc begins. */
    private record Origin(UUID flow, int upstream) {}

    /** An arc, and what it leads to. */
    private record Read(FlowMember to, Arc arc) {
        Origin origin() {
            return new Origin(to.flow(), arc.upstream());
        }
    }

    private void readAhead(List<End> ends) {
        if (ends.isEmpty()) {
            return;
        }
        var arcs =
                tx.query("edges_from")
                        .uuids("flows", ends, End::flow)
                        .ints("upstreams", ends, End::number)
                        .ints("afters", ends, each -> -1)
                        .set("limit", AHEAD)
                        .list(row -> new Read(FlowMember.of(row), MemberTable.arc(row)));
        arcs.forEach(arc -> of(arc.to.flow()).know(arc.to.member()));
        // Of the last one there may be more.
        var unsure = arcs.size() < AHEAD ? Optional.<Origin>empty() : last(arcs);
        var from = new LinkedHashMap<Origin, List<Arc>>();
        ends.forEach(end -> from.put(new Origin(end.flow, end.number), new ArrayList<>()));
        arcs.forEach(it -> Objects.requireNonNull(from.get(it.origin())).add(it.arc));
        for (var known : from.entrySet()) {
            if (unsure.filter(known.getKey()::equals).isPresent()) {
                break;
            }
            of(known.getKey().flow).knowFrom(known.getKey().upstream, known.getValue());
        }
        readFacts(decided(ends, arcs));
    }

    private static Optional<Origin> last(List<Read> arcs) {
        return Optional.of(arcs.getLast().origin());
    }

    /** Those that are decided once they are told of all these ends. */
    private static List<FlowMember> decided(List<End> ends, List<Read> arcs) {
        var outcomes =
                ends.stream()
                        .collect(
                                toMap(
                                        end -> new Origin(end.flow, end.number),
                                        End::outcome,
                                        (first, same) -> first));
        var told = new LinkedHashMap<Origin, FlowMember>();
        for (var it : arcs) {
            boolean had =
                    it.arc.on() == Edge.On.COMPLETION
                            || outcomes.get(it.origin()) == Outcome.SUCCESS;
            told.merge(
                    new Origin(it.to.flow(), it.arc.downstream()),
                    resolved(it.to, had),
                    (before, same) -> resolved(before, had));
        }
        return told.values().stream()
                .filter(it -> it.member().waits() && it.member().verdict() != Decided.PENDING)
                .toList();
    }

    private static FlowMember resolved(FlowMember member, boolean had) {
        return new FlowMember(member.flow(), member.member().resolved(had));
    }

    private void readFacts(List<FlowMember> members) {
        if (members.isEmpty()) {
            return;
        }
        var locked =
                FactsReader.lock(
                        "facts",
                        tx,
                        postgres,
                        members.stream().map(it -> it.member().execution().uuid()).toList());
        for (var it : members) {
            of(it.flow()).know(it.member(), locked.get(it.member().execution().uuid()));
        }
    }
}
