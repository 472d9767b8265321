package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Flows.SubmittedFlow;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Queued;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;

/** Whether a graph is accepted, and how its members begin. */
public final class FlowAcceptance {
    /** What holds a member back that waits for others, in words. */
    public static final String WAITS = "waits for members of its flow";

    private FlowAcceptance() {}

    /** A graph with its members in numbers: what a store writes of it. */
    public record NumberedGraph(List<MemberRecord> members, List<Arc> arcs) {}

    /**
     * The answer to a submission that a store has heard before; nothing when it is new.
     *
     * @throws Conflict when the flow that has the id was submitted with other content
     */
    public static Optional<SubmittedFlow> repeated(
            FlowSubmission flow, Digest digest, Optional<FlowRecord> sameId) {
        sameId.filter(known -> !known.id().equals(flow.id()) || !known.digest().equals(digest))
                .ifPresent(
                        known -> {
                            throw new Conflict(
                                    Conflict.Code.ID_TAKEN,
                                    known.id().toString(),
                                    "A flow with this id or key was submitted with other content."
                                            + " Submit it as it was, or use another one.");
                        });
        return sameId.map(known -> new SubmittedFlow(known.id(), false));
    }

    /**
     * Numbers the members of a flow.
     *
     * @throws Invalid when the graph can never be done
     */
    public static NumberedGraph number(FlowSubmission flow, Instant now) {
        checkSizes(flow.members().size(), flow.edges().size());
        checkInputs(flow.members());
        var members = new ArrayList<MemberRecord>();
        for (var member : flow.members()) {
            mustBeIn(flow.namespace(), member);
            members.add(MemberRecord.added(members.size(), member));
        }
        var numbers = numbers(members);
        var arcs = arcs(flow.edges(), numbers);
        arcs.forEach(
                arc -> members.set(arc.downstream(), members.get(arc.downstream()).withEdge()));
        mustHaveNoCycle(members, arcs);
        if (!flow.open()) {
            mustBeSealed(members);
        }
        for (var member : members) {
            mustBePossible(member);
            if (member.verdict() == Decided.SATISFIED) {
                members.set(member.number(), member.decided(Decided.SATISFIED, now));
            }
        }
        return new NumberedGraph(members, arcs);
    }

    static void checkSizes(int members, int edges) {
        Limit.FLOW_MEMBERS.checkCount("members", members);
        Limit.FLOW_EDGES.checkCount("edges", edges);
    }

    static void checkInputs(List<Member> members) {
        long bytes = members.stream().mapToLong(member -> member.work().input().size()).sum();
        Limit.FLOW_BYTES.checkSize("inputs of members", bytes, "bytes");
    }

    static void mustBeIn(Namespace namespace, Member member) {
        var other = member.work().lane().namespace();
        if (!other.equals(namespace)) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "member " + member.name(),
                    "It is in the namespace %s and its flow in %s: put both into one."
                            .formatted(other, namespace));
        }
    }

    /** The numbers of members by their names. */
    static Map<String, Integer> numbers(Collection<MemberRecord> members) {
        var numbers = new HashMap<String, Integer>();
        var ids = new HashSet<>();
        for (var member : members) {
            if (numbers.put(member.name(), member.number()) != null) {
                throw duplicate("member", "The name %s is used twice.".formatted(member.name()));
            }
            if (!ids.add(member.execution().uuid())) {
                throw duplicate(
                        "member " + member.name(),
                        "Its id %s is that of another member.".formatted(member.execution()));
            }
        }
        return numbers;
    }

    private static Invalid duplicate(String field, String explanation) {
        return new Invalid(Invalid.Code.DUPLICATE, field, explanation);
    }

    /** Edges in numbers. */
    static List<Arc> arcs(List<Edge> edges, Map<String, Integer> numbers) {
        var arcs = new ArrayList<Arc>();
        var known = new HashSet<Long>();
        for (var edge : edges) {
            int upstream = number(edge.upstream(), numbers);
            int downstream = number(edge.downstream(), numbers);
            if (!known.add(((long) upstream << Integer.SIZE) | downstream)) {
                throw duplicate(
                        "edge",
                        "%s comes after %s twice.".formatted(edge.downstream(), edge.upstream()));
            }
            arcs.add(new Arc(upstream, downstream, edge.on()));
        }
        return arcs;
    }

    /** The number of a member by its name. */
    static int number(String name, Map<String, Integer> numbers) {
        var number = numbers.get(name);
        if (number == null) {
            throw new Invalid(
                    Invalid.Code.UNKNOWN_MEMBER,
                    "member " + name,
                    "The flow has no member of this name: add it, or name another one.");
        }
        return number;
    }

    /** Refuses to close a flow with members that would wait for ever to be sealed. */
    static void mustBeSealed(List<MemberRecord> members) {
        members.stream()
                .filter(member -> member.live() && member.growing())
                .findFirst()
                .ifPresent(
                        member -> {
                            throw new Invalid(
                                    Invalid.Code.CONTRADICTORY,
                                    "member " + member.name(),
                                    "It is unsealed, and its flow is closed: seal it, or leave the"
                                            + " flow open.");
                        });
    }

    static void mustBePossible(MemberRecord member) {
        if (!member.growing() && member.join().needed(member.edges()) > member.edges()) {
            throw new Invalid(
                    Invalid.Code.IMPOSSIBLE_QUORUM,
                    "member " + member.name(),
                    "It needs %d members before it, and has %d."
                            .formatted(member.join().needed(member.edges()), member.edges()));
        }
    }

    /**
     * Takes members away that come after none that is left, until there are none or only cycles.
     *
     * @throws Invalid that names a cycle
     */
    static void mustHaveNoCycle(List<MemberRecord> members, Collection<Arc> arcs) {
        var before = new int[members.size()];
        var downstreams = new HashMap<Integer, List<Integer>>();
        for (var arc : arcs) {
            before[arc.downstream()]++;
            downstreams
                    .computeIfAbsent(arc.upstream(), none -> new ArrayList<>())
                    .add(arc.downstream());
        }
        var free = new ArrayList<Integer>();
        for (int n = 0; n < before.length; n++) {
            if (before[n] == 0) {
                free.add(n);
            }
        }
        for (int next = 0; next < free.size(); next++) {
            for (int downstream : downstreams.getOrDefault(free.get(next), List.of())) {
                if (--before[downstream] == 0) {
                    free.add(downstream);
                }
            }
        }
        if (free.size() < members.size()) {
            throw cycle(members, arcs, before);
        }
    }

    /** Goes back from a member that is left, always to one that is left, until one comes again. */
    private static Invalid cycle(List<MemberRecord> members, Collection<Arc> arcs, int[] left) {
        var upstream = new HashMap<Integer, Integer>();
        for (var arc : arcs) {
            if (left[arc.downstream()] > 0 && left[arc.upstream()] > 0) {
                upstream.put(arc.downstream(), arc.upstream());
            }
        }
        int at = upstream.keySet().iterator().next();
        var seen = new ArrayList<Integer>();
        while (!seen.contains(at)) {
            seen.addFirst(at);
            at = Objects.requireNonNull(upstream.get(at));
        }
        var names =
                new ArrayList<>(
                        seen.subList(0, seen.indexOf(at) + 1).stream()
                                .map(n -> members.get(n).name())
                                .toList());
        names.addFirst(names.getLast());
        return new Invalid(
                Invalid.Code.CYCLE,
                "edges",
                "Members wait for each other: %s. Take one of these edges away."
                        .formatted(String.join(" -> ", names)));
    }

    /** How a member begins that is accepted now. */
    public static Queued begin(MemberRecord member, Policy policy, Instant now) {
        var start = Acceptance.begin(policy, now);
        return member.decided() == Decided.SATISFIED
                ? start
                : Transition.begin(new Blocked(BlockedBy.DEPENDENCIES, WAITS, start));
    }
}
