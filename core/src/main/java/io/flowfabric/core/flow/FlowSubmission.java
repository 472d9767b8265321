package io.flowfabric.core.flow;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.Text;
import io.flowfabric.core.submit.Submission;

import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * A graph of executions to be done, accepted or refused as a whole.
 *
 * @param id minted by the caller's process before the call, or made from a key, so that a repeated
 *     submission is the same submission
 * @param kind what sort of flow it is, for people and for listings
 * @param input what the flow is about; any member can read it
 * @param creator who asked for it; may be empty
 * @param open whether members may still be added from outside: it does not end before it is closed
 * @param parent the execution that may await it, if one may
 */
public record FlowSubmission(
        FlowId id,
        Namespace namespace,
        String kind,
        Payload input,
        Tags tags,
        String creator,
        FlowPolicy policy,
        List<Member> members,
        List<Edge> edges,
        boolean open,
        Optional<ExecutionId> parent) {

    public FlowSubmission {
        Text.name("kind", kind, Limit.NAME_BYTES);
        Limit.INPUT_BYTES.checkSize("input", input.size(), "bytes");
        Text.line("creator", creator, Limit.NAME_BYTES);
        Objects.requireNonNull(tags, "tags");
        Objects.requireNonNull(policy, "policy");
        // Views of lists that nobody else has: a copy for each member that is added is one too
        // many.
        members = Collections.unmodifiableList(members);
        edges = Collections.unmodifiableList(edges);
    }

    /** A flow of a kind in the default namespace, with no members yet. */
    public static FlowSubmission of(String kind) {
        return of(Namespace.DEFAULT, kind);
    }

    /** A flow of a kind in a namespace, with no members yet. */
    public static FlowSubmission of(Namespace namespace, String kind) {
        return new FlowSubmission(
                FlowId.mint(namespace),
                namespace,
                kind,
                Payload.EMPTY,
                Tags.NONE,
                "",
                FlowPolicy.DEFAULT,
                new ArrayList<>(),
                new ArrayList<>(),
                false,
                Optional.empty());
    }

    /** This flow under another id. */
    public FlowSubmission id(FlowId other) {
        return new FlowSubmission(
                other, namespace, kind, input, tags, creator, policy, members, edges, open, parent);
    }

    /** This flow under the id of a key: the same key again is the same flow. */
    public FlowSubmission key(String key) {
        return id(FlowId.of(namespace, key));
    }

    /**
     * This flow below an execution of the same namespace, which may await it. Its id is made from
     * that execution and a name, in the place of an id or key given before, so that the execution
     * finds the same flow when it goes on after a crash.
     *
     * <p>A retry or a replay of the execution finds the same flow as well, also one that has failed
     * or was cancelled, and has to submit it with the same content. For a new one put the attempt
     * into the name.
     */
    public FlowSubmission below(ExecutionId execution, String name) {
        return new FlowSubmission(
                FlowId.below(execution, name),
                namespace,
                kind,
                input,
                tags,
                creator,
                policy,
                members,
                edges,
                open,
                Optional.of(execution));
    }

    /** This flow with an input of its own. */
    public FlowSubmission input(Payload other) {
        return new FlowSubmission(
                id, namespace, kind, other, tags, creator, policy, members, edges, open, parent);
    }

    /** This flow with one tag more. */
    public FlowSubmission tag(String name, String value) {
        return new FlowSubmission(
                id,
                namespace,
                kind,
                input,
                tags.with(name, value),
                creator,
                policy,
                members,
                edges,
                open,
                parent);
    }

    /** This flow by another creator. */
    public FlowSubmission creator(String other) {
        return new FlowSubmission(
                id, namespace, kind, input, tags, other, policy, members, edges, open, parent);
    }

    /** This flow with another policy. */
    public FlowSubmission policy(FlowPolicy other) {
        return new FlowSubmission(
                id, namespace, kind, input, tags, creator, other, members, edges, open, parent);
    }

    /** This flow, which stays open for more members from outside. */
    public FlowSubmission leftOpen() {
        return new FlowSubmission(
                id, namespace, kind, input, tags, creator, policy, members, edges, true, parent);
    }

    /** Adds a member that needs the success of all of these, of which there may be none. */
    public FlowSubmission member(String name, Submission work, String... after) {
        return member(name, work, Join.ALL_OF, after);
    }

    /**
     * Adds a member that needs the success of some of these. Work of the default namespace moves
     * into that of the flow.
     */
    public FlowSubmission member(String name, Submission work, Join join, String... after) {
        var here =
                work.lane().namespace().equals(Namespace.DEFAULT)
                        ? work.lane(new Lane(namespace, work.lane().name()))
                        : work;
        var more = new ArrayList<>(members);
        more.add(new Member(name, here, join, false));
        var joined = new ArrayList<>(edges);
        for (String upstream : after) {
            joined.add(Edge.of(upstream, name));
        }
        return graph(more, joined);
    }

    /** This flow with these members and edges alone. */
    public FlowSubmission graph(List<Member> otherMembers, List<Edge> otherEdges) {
        return new FlowSubmission(
                id,
                namespace,
                kind,
                input,
                tags,
                creator,
                policy,
                List.copyOf(otherMembers),
                List.copyOf(otherEdges),
                open,
                parent);
    }

    /** The fingerprint of everything: two submissions with the same one ask for the same. */
    public Digest digest() {
        var digest =
                Digest.of("flow")
                        .text(namespace.name())
                        .text(kind)
                        .payload(input)
                        .text(creator)
                        .number(open ? 1 : 0);
        policy.digest(digest);
        digest.number(tags.values().size());
        tags.values().forEach((name, value) -> digest.text(name).text(value));
        digest.number(members.size());
        members.forEach(member -> member.digest(digest));
        digest.number(edges.size());
        edges.forEach(edge -> edge.digest(digest));
        // Of a flow without one nothing is added: it is the same as before there were any.
        parent.ifPresent(execution -> digest.text("below").text(execution.toString()));
        return digest.done();
    }
}
