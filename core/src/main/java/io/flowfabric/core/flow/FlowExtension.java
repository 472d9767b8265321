package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowId;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * A change of the graph of a flow, accepted or refused as a whole: members and edges come, and
 * never go.
 *
 * @param revision the revision that the change is made for: another change in between refuses it
 * @param sealed names of members into which no more edges come
 * @param close whether no more members come from outside
 * @param by the lease of a member that runs, which may add to a flow that is closed
 */
public record FlowExtension(
        FlowId flow,
        long revision,
        List<Member> members,
        List<Edge> edges,
        SortedSet<String> sealed,
        boolean close,
        Optional<Fence> by) {
    public FlowExtension {
        members = List.copyOf(members);
        edges = List.copyOf(edges);
        sealed = Collections.unmodifiableSortedSet(new TreeSet<>(sealed));
    }

    /** A change of nothing yet. */
    public static FlowExtension of(FlowId flow, long revision) {
        return new FlowExtension(
                flow,
                revision,
                List.of(),
                List.of(),
                Collections.emptySortedSet(),
                false,
                Optional.empty());
    }

    /** This change with one member more. */
    public FlowExtension member(Member added) {
        var more = new ArrayList<>(members);
        more.add(added);
        return new FlowExtension(flow, revision, more, edges, sealed, close, by);
    }

    /** This change with one edge more, between members that there are or that come with it. */
    public FlowExtension edge(Edge added) {
        var more = new ArrayList<>(edges);
        more.add(added);
        return new FlowExtension(flow, revision, members, more, sealed, close, by);
    }

    /** This change, after which no more edges come into a member. */
    public FlowExtension seal(String member) {
        var more = new TreeSet<>(sealed);
        more.add(member);
        return new FlowExtension(flow, revision, members, edges, more, close, by);
    }

    /** This change, after which no more members come from outside. */
    public FlowExtension closing() {
        return new FlowExtension(flow, revision, members, edges, sealed, true, by);
    }

    /** This change, made by a member that runs. */
    public FlowExtension by(Fence fence) {
        return new FlowExtension(flow, revision, members, edges, sealed, close, Optional.of(fence));
    }

    /** The fingerprint by which a repeat is told from another change. */
    public Digest digest() {
        var digest = Digest.of("flow extension").number(revision).number(close ? 1 : 0);
        digest.number(members.size());
        members.forEach(member -> member.digest(digest));
        digest.number(edges.size());
        edges.forEach(edge -> edge.digest(digest));
        digest.number(sealed.size());
        sealed.forEach(digest::text);
        return digest.done();
    }
}
