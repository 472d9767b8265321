package io.flowfabric.testkit.contract;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.PublicState;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.lease.Lease;

import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * Compares every member of a flow with what the ends of those before it make it. That is computed
 * anew from what can be read, by the definition of joins alone, and knows nothing of how a store
 * gets there.
 */
final class RandomFlowJudge {
    private static final Set<PublicState> ENDED =
            EnumSet.of(
                    PublicState.COMPLETED,
                    PublicState.FAILED,
                    PublicState.CANCELLED,
                    PublicState.EXPIRED,
                    PublicState.SKIPPED);

    private final Scenario world;
    private final FlowPlay flow;
    private final OnFailure onFailure;
    private final long seed;

    /** Members that had what they need once: a replay before them takes nothing away. */
    private final Set<String> satisfied = new HashSet<>();

    RandomFlowJudge(Scenario world, FlowPlay flow, OnFailure onFailure, long seed) {
        this.world = world;
        this.flow = flow;
        this.onFailure = onFailure;
        this.seed = seed;
    }

    static boolean hasEnded(MemberView member) {
        return ENDED.contains(member.state());
    }

    /** How many of the edges into a member were had, and how many can never be. */
    private record Counted(int edges, int met, int missed) {
        boolean satisfied(Join join) {
            return met >= join.needed(edges);
        }

        boolean impossible(Join join) {
            return edges - missed < join.needed(edges);
        }
    }

    /** Judges that a member was given to a worker. */
    void mayRun(Lease lease) {
        var members = flow.members();
        members.stream()
                .filter(member -> member.execution().equals(Given.idOf(lease)))
                .forEach(
                        member ->
                                assertThat(satisfied)
                                        .as("seed %d: %s was allowed to run", seed, member)
                                        .contains(member.name()));
    }

    private List<Edge> edges() {
        return Everything.pages(after -> world.store().flows().edges(flow.id(), after, 100));
    }

    private static Counted count(MemberView member, List<MemberView> members, List<Edge> edges) {
        var states =
                members.stream().collect(Collectors.toMap(MemberView::name, MemberView::state));
        int all = 0;
        int met = 0;
        int missed = 0;
        for (var edge : edges) {
            if (edge.downstream().equals(member.name())) {
                var upstream = states.get(edge.upstream());
                boolean ended = ENDED.contains(upstream);
                boolean had =
                        ended
                                && (upstream == PublicState.COMPLETED
                                        || edge.on() == Edge.On.COMPLETION);
                all++;
                met += had ? 1 : 0;
                missed += ended && !had ? 1 : 0;
            }
        }
        return new Counted(all, met, missed);
    }

    /**
     * Compares everything that can be read with what it should be.
     *
     * @param cancelled whether the flow was cancelled
     */
    void check(boolean cancelled) {
        var members = flow.members();
        var edges = edges();
        var view = flow.view();
        assertThat(view.settled()).as("seed %d: settled", seed).isTrue();
        for (var member : members) {
            check(member, members, edges);
        }
        var states =
                members.stream()
                        .collect(Collectors.groupingBy(MemberView::state, Collectors.counting()));
        long live = members.stream().filter(it -> !ENDED.contains(it.state())).count();
        assertThat((long) view.tally().live()).as("seed %d: live", seed).isEqualTo(live);
        assertThat((long) view.tally().skipped())
                .as("seed %d: skipped", seed)
                .isEqualTo(states.getOrDefault(PublicState.SKIPPED, 0L));
        boolean over = live == 0 && !view.open();
        assertThat(view.state())
                .as("seed %d: %s", seed, states)
                .isEqualTo(over ? verdict(states, cancelled) : FlowState.RUNNING);
    }

    private void check(MemberView member, List<MemberView> members, List<Edge> edges) {
        var counted = count(member, members, edges);
        var what = "seed %d: %s with %s in %s".formatted(seed, member, counted, flow.states());
        assertThat(member.edges()).as(what).isEqualTo(counted.edges);
        if (counted.satisfied(member.join())) {
            satisfied.add(member.name());
        }
        if (!ENDED.contains(member.state())) {
            assertThat(member.met()).as(what).isEqualTo(counted.met);
            assertThat(member.missed()).as(what).isEqualTo(counted.missed);
            boolean waits = member.state() == PublicState.WAITING_CHILDREN;
            if (waits) {
                assertThat(counted.satisfied(member.join())).as(what).isFalse();
                assertThat(counted.impossible(member.join())).as(what).isFalse();
            }
        }
        if (member.state() == PublicState.SKIPPED) {
            assertThat(
                            counted.impossible(member.join())
                                    || isLetGo(member, members, edges)
                                    || onFailure == OnFailure.FAIL_FAST)
                    .as(what)
                    .isTrue();
        }
    }

    /** Whether one that comes after it is decided and lets go of those before it. */
    private static boolean isLetGo(MemberView member, List<MemberView> members, List<Edge> edges) {
        var byName = members.stream().collect(Collectors.toMap(MemberView::name, it -> it));
        return edges.stream()
                .filter(edge -> edge.upstream().equals(member.name()))
                .map(edge -> byName.get(edge.downstream()))
                .anyMatch(
                        after ->
                                after.join().remaining() == Join.Remaining.CANCEL
                                        && after.state() != PublicState.WAITING_CHILDREN);
    }

    private FlowState verdict(Map<PublicState, Long> states, boolean cancelled) {
        if (cancelled) {
            return FlowState.CANCELLED;
        }
        boolean lost =
                states.containsKey(PublicState.FAILED)
                        || states.containsKey(PublicState.CANCELLED)
                        || states.containsKey(PublicState.EXPIRED);
        if (lost && onFailure != OnFailure.IGNORE) {
            return FlowState.FAILED;
        }
        boolean allSkipped = states.keySet().equals(Set.of(PublicState.SKIPPED));
        return allSkipped ? FlowState.SKIPPED : FlowState.COMPLETED;
    }
}
