package io.flowfabric.core.decision;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.MemberRecord;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** What a store shows of the graph of one flow while it holds the lock of that flow. */
public interface FlowGraph {
    /** Where to go on with the arcs out of a member: behind the downstream of this number. */
    record Position(int upstream, int after) {}

    /** The members of these numbers, in any order. */
    Collection<MemberRecord> members(Collection<Integer> numbers);

    /** The first members behind a number that have not ended, in the order of their numbers. */
    List<MemberRecord> live(int after, int max);

    /**
     * The first arcs out of members: those of the first position in the order of their downstreams,
     * then those of the second, and so on.
     */
    List<Arc> from(List<Position> positions, int max);

    /** The first arcs into a member behind an upstream, in the order of their upstreams. */
    List<Arc> into(int member, int after, int max);

    /**
     * Those of these members that another one comes after which has not ended and is not decided,
     * as far as is stored.
     *
     * @param except members that count as decided, whatever is stored
     */
    Set<Integer> needed(Collection<Integer> members, Collection<Integer> except);

    /**
     * The executions of these members, locked, by the numbers of the members. What cannot be read
     * is left out.
     */
    Map<Integer, Facts> facts(Collection<MemberRecord> members);

    /** The execution that this flow is below, locked; nothing when it is gone or cannot be read. */
    Optional<Facts> parent(ExecutionId execution);
}
