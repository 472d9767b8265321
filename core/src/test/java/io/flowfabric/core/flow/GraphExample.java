package io.flowfabric.core.flow;

import static io.flowfabric.core.Examples.NOON;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.PublicState;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;

/** A flow that was submitted at noon, and how its members stand, in seconds from then. */
final class GraphExample {
    static final int NEVER = -1;

    final List<MemberView> members = new ArrayList<>();
    final List<Edge> edges = new ArrayList<>();

    static Instant at(int second) {
        return NOON.plusSeconds(second);
    }

    private static Optional<Instant> time(int second) {
        return second == NEVER ? Optional.empty() : Optional.of(at(second));
    }

    GraphExample member(
            String name, PublicState state, int ready, int ended, Join join, String... after) {
        members.add(
                new MemberView(
                        members.size(),
                        name,
                        ExecutionId.mint(),
                        join,
                        false,
                        after.length,
                        0,
                        0,
                        state,
                        time(ready),
                        time(ended)));
        Arrays.stream(after).forEach(upstream -> edges.add(Edge.of(upstream, name)));
        return this;
    }

    GraphExample completed(String name, int ready, int ended, String... after) {
        return member(name, PublicState.COMPLETED, ready, ended, Join.ALL_OF, after);
    }

    GraphExample failed(String name, int ready, int ended, String... after) {
        return member(name, PublicState.FAILED, ready, ended, Join.ALL_OF, after);
    }

    GraphExample skipped(String name, int ended, String... after) {
        return member(name, PublicState.SKIPPED, NEVER, ended, Join.ALL_OF, after);
    }

    GraphExample active(String name, int ready, String... after) {
        return member(name, PublicState.ACTIVE, ready, NEVER, Join.ALL_OF, after);
    }

    GraphExample waiting(String name, String... after) {
        return member(name, PublicState.WAITING_CHILDREN, NEVER, NEVER, Join.ALL_OF, after);
    }

    /** The last member comes after another one, however that ends. */
    GraphExample afterAnyEndOf(String upstream) {
        var last = members.removeLast();
        members.add(
                new MemberView(
                        last.number(),
                        last.name(),
                        last.execution(),
                        last.join(),
                        last.growing(),
                        last.edges() + 1,
                        last.met(),
                        last.missed(),
                        last.state(),
                        last.ready(),
                        last.ended()));
        edges.add(new Edge(upstream, last.name(), Edge.On.COMPLETION));
        return this;
    }

    CriticalPath path() {
        return CriticalPath.of(NOON, members, edges);
    }
}
