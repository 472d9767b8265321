package io.flowfabric.core.flow;

import io.flowfabric.core.PublicState;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The chain of members that decided when a flow ended; of one that runs, the chain that led to what
 * it waits for now. To end sooner, the flow would have needed one of these to be faster, or, before
 * a join that needs only some, another upstream to overtake one of them.
 *
 * @param stages from the member that nothing was waited for, each after the one that decided it
 */
public record CriticalPath(List<Stage> stages) {
    /** Of those that end at once, in a cancelled flow, what could run kept the others waiting. */
    private static final Comparator<MemberView> BY_END =
            Comparator.comparing((MemberView it) -> it.ended().orElse(Instant.MAX))
                    .thenComparing(it -> it.ready().isPresent())
                    .thenComparingInt(MemberView::number);

    public CriticalPath {
        stages = List.copyOf(stages);
    }

    /**
     * A member on the path. The shares of all stages follow each other without a gap, from the
     * submission of the flow to the end of the last one.
     *
     * @param member as it was read
     * @param from when the stage before it ended; of the first one, when the flow was submitted
     */
    public record Stage(MemberView member, Instant from) {
        /**
         * For how long it had not all that it needed, although the one before it had ended: until
         * it was added, or sealed.
         *
         * @param now until when, if it still waits
         */
        public Duration waited(Instant now) {
            return share(from, member.ready().or(member::ended).orElse(now));
        }

        /**
         * For how long it could run: delayed, in the queue, with a worker.
         *
         * @param now until when, if it has not ended
         */
        public Duration took(Instant now) {
            return member.ready()
                    .map(ready -> share(ready, member.ended().orElse(now)))
                    .orElse(Duration.ZERO);
        }

        private static Duration share(Instant from, Instant to) {
            return to.isAfter(from) ? Duration.between(from, to) : Duration.ZERO;
        }
    }

    /** The names of its members, in their order. */
    public List<String> names() {
        return stages.stream().map(stage -> stage.member().name()).toList();
    }

    /**
     * The critical path of a flow. It is empty for a flow without members.
     *
     * @param submitted when the flow was
     * @param edges those that name other members are left out
     */
    public static CriticalPath of(
            Instant submitted, Collection<MemberView> members, Collection<Edge> edges) {
        var graph = new Graph(members, edges);
        var path = new ArrayList<MemberView>();
        for (var at = graph.last(); at.isPresent(); at = graph.decider(at.get())) {
            path.add(at.get());
        }
        var stages = new ArrayList<Stage>();
        var from = submitted;
        for (var member : path.reversed()) {
            stages.add(new Stage(member, from));
            from = member.ended().orElse(from);
        }
        return new CriticalPath(stages);
    }

    /** A member before another one, and whether its end counts for that. */
    private record Before(MemberView member, Edge.On on) {
        boolean ended(Instant by) {
            return member.ended().filter(at -> !at.isAfter(by)).isPresent();
        }

        boolean counts() {
            return on == Edge.On.COMPLETION || member.state() == PublicState.COMPLETED;
        }
    }

    private static final class Graph {
        private final Collection<MemberView> members;
        private final Map<Integer, List<Before>> into = new HashMap<>();

        Graph(Collection<MemberView> members, Collection<Edge> edges) {
            this.members = members;
            var byName = new HashMap<String, MemberView>();
            members.forEach(member -> byName.put(member.name(), member));
            for (var edge : edges) {
                var upstream = byName.get(edge.upstream());
                var downstream = byName.get(edge.downstream());
                if (upstream != null && downstream != null) {
                    into.computeIfAbsent(downstream.number(), none -> new ArrayList<>())
                            .add(new Before(upstream, edge.on()));
                }
            }
        }

        private Stream<Before> before(MemberView member) {
            return into.getOrDefault(member.number(), List.of()).stream();
        }

        /** What the flow waits for, or else what it ended with. */
        Optional<MemberView> last() {
            var live = members.stream().filter(Graph::live).toList();
            return live.isEmpty() ? lastEnded() : waitedFor(live);
        }

        private static boolean live(MemberView member) {
            return member.ended().isEmpty();
        }

        /** A skip follows from something else, and keeps nothing waiting. */
        private Optional<MemberView> lastEnded() {
            return members.stream()
                    .filter(it -> it.state() != PublicState.SKIPPED)
                    .max(BY_END)
                    .or(() -> members.stream().max(BY_END));
        }

        /** Of those that wait for no other member, the one that has what it needs for longest. */
        private Optional<MemberView> waitedFor(List<MemberView> live) {
            return live.stream()
                    .filter(
                            it ->
                                    it.ready().isPresent()
                                            || before(it).noneMatch(one -> live(one.member())))
                    .min(
                            Comparator.comparing((MemberView it) -> it.ready().orElse(Instant.MAX))
                                    .thenComparingInt(MemberView::number));
        }

        /** The member whose end decided another one; none if nothing before it did. */
        Optional<MemberView> decider(MemberView member) {
            int needed = member.join().needed(member.edges());
            if (member.ready().isPresent()) {
                var had = ended(member, true, member.ready().get());
                return nth(had, Math.min(needed, had.size()));
            }
            if (member.ended().isPresent()) {
                // It was skipped when fewer were left than it needs, or ended for itself.
                return nth(ended(member, false, member.ended().get()), member.edges() - needed + 1);
            }
            var all = before(member).map(Before::member).sorted(BY_END).toList();
            return nth(all, all.size());
        }

        private List<MemberView> ended(MemberView member, boolean counting, Instant by) {
            return before(member)
                    .filter(it -> it.ended(by) && it.counts() == counting)
                    .map(Before::member)
                    .sorted(BY_END)
                    .toList();
        }

        private static Optional<MemberView> nth(List<MemberView> some, int n) {
            return n > 0 && n <= some.size() ? Optional.of(some.get(n - 1)) : Optional.empty();
        }
    }
}
