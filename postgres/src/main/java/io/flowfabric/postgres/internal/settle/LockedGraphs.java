package io.flowfabric.postgres.internal.settle;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.decision.FlowSettlement.EndedMember;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.settle.MemberTable.FlowMember;
import io.flowfabric.postgres.internal.step.FactsReader;

import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Stream;

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
    private final Collection<LockedFlow> locked;
    private final Map<UUID, LockedGraph> graphs;

    private final Map<UUID, List<EndedMember>> ended = new HashMap<>();
    private final Set<UUID> abandoned = new HashSet<>();

    private LockedGraphs(PostgresContext postgres, Jdbc tx, Collection<LockedFlow> locked) {
        this.postgres = postgres;
        this.tx = tx;
        this.locked = locked;
        this.graphs =
                locked.stream()
                        .map(flow -> new LockedGraph(postgres, tx, flow.id(), List.of()))
                        .collect(toMap(LockedGraph::flow, graph -> graph));
    }

    /**
     * Reads what has happened in flows.
     *
     * @param how executions that this transaction has ended, and how
     */
    static LockedGraphs read(
            PostgresContext postgres,
            Jdbc tx,
            Collection<LockedFlow> locked,
            Map<UUID, Outcome> how) {
        var graphs = new LockedGraphs(postgres, tx, locked);
        graphs.takeEnded(List.copyOf(how.entrySet()));
        return graphs;
    }

    LockedGraph of(UUID flow) {
        return Objects.requireNonNull(graphs.get(flow));
    }

    /** The members of a flow that have ended since it was settled. */
    List<EndedMember> ended(UUID flow) {
        return ended.getOrDefault(flow, List.of());
    }

    /** Whether the execution that awaited a flow has ended. */
    boolean isAbandoned(UUID flow) {
        return abandoned.contains(flow);
    }

    /** A member of a flow, by its number. */
    private record Place(UUID flow, int number) {}

    /** An arc, and what it leads to. */
    private record Read(FlowMember to, Arc arc) {
        Place origin() {
            return new Place(to.flow(), arc.upstream());
        }

        Place target() {
            return new Place(to.flow(), arc.downstream());
        }
    }

    private void takeEnded(List<Map.Entry<UUID, Outcome>> how) {
        var outcomes = new HashMap<Place, Outcome>();
        var from = new LinkedHashMap<Place, List<Arc>>();
        var arcs = new ArrayList<Read>();
        tx.query("take_ended")
                .uuids("flows", graphs.keySet(), id -> id)
                .uuids("executions", how, Map.Entry::getKey)
                .texts("outcomes", how, end -> RowCodec.word(end.getValue()))
                .set("limit", AHEAD)
                .each(
                        row -> {
                            if (row.intOrNull("number") == null) {
                                // It was not a member that has ended.
                                abandoned.add(row.uuid("settled"));
                                return;
                            }
                            var one = FlowMember.of(row);
                            of(one.flow()).know(one.member());
                            var outcome = MemberTable.outcome(row, "how");
                            if (outcome.isPresent()) {
                                var place = new Place(one.flow(), one.member().number());
                                outcomes.put(place, outcome.get());
                                from.put(place, new ArrayList<>());
                                ended.computeIfAbsent(one.flow(), first -> new ArrayList<>())
                                        .add(new EndedMember(place.number, outcome.get()));
                            } else {
                                arcs.add(new Read(one, MemberTable.arcTo(row)));
                            }
                        });
        arcs.forEach(it -> Objects.requireNonNull(from.get(it.origin())).add(it.arc));
        // Where the reading stopped, there may be more.
        var unsure = arcs.size() < AHEAD ? null : arcs.getLast().origin();
        for (var known : from.entrySet()) {
            if (known.getKey().equals(unsure)) {
                break;
            }
            of(known.getKey().flow).knowFrom(known.getKey().number, known.getValue());
        }
        readFacts(decided(outcomes, arcs));
    }

    /** Those that are decided once they are told of all these ends. */
    private static List<FlowMember> decided(Map<Place, Outcome> outcomes, List<Read> arcs) {
        var told = new LinkedHashMap<Place, FlowMember>();
        for (var it : arcs) {
            boolean had =
                    it.arc.on() == Edge.On.COMPLETION
                            || outcomes.get(it.origin()) == Outcome.SUCCESS;
            told.put(it.target(), resolved(told.getOrDefault(it.target(), it.to), had));
        }
        return told.values().stream()
                .filter(it -> it.member().waits() && it.member().verdict() != Decided.PENDING)
                .toList();
    }

    private static FlowMember resolved(FlowMember member, boolean had) {
        return new FlowMember(member.flow(), member.member().resolved(had));
    }

    /**
     * Locks executions by one statement, in the order of their ids: those of members, and those
     * that await flows which may end now.
     */
    private void readFacts(List<FlowMember> members) {
        var ending = locked.stream().filter(this::mayEnd).toList();
        var ids =
                Stream.concat(
                                members.stream().map(it -> it.member().execution().uuid()),
                                ending.stream().map(LockedGraphs::parent))
                        .distinct()
                        .toList();
        if (ids.isEmpty()) {
            return;
        }
        var rows = FactsReader.lock("facts", tx, postgres, ids);
        for (var it : members) {
            of(it.flow()).know(it.member(), rows.get(it.member().execution().uuid()));
        }
        for (var flow : ending) {
            Optional.ofNullable(rows.get(parent(flow))).ifPresent(of(flow.id())::knowParent);
        }
    }

    /** Whether all of its members have ended now, and an execution may await it. */
    private boolean mayEnd(LockedFlow flow) {
        return flow.record().parent().isPresent()
                && flow.record().tally().live() <= ended(flow.id()).size();
    }

    private static UUID parent(LockedFlow flow) {
        return flow.record().parent().orElseThrow().uuid();
    }
}
