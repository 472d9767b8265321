package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;

import java.util.ArrayList;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.Collectors;

/**
 * A graph made by chance, in which things happen by chance.
 *
 * <p>After each of them every member is compared with what the ends of those before it make it.
 * That is computed anew from what can be read, by the definition of joins alone, and knows nothing
 * of how a store gets there.
 */
final class RandomFlow {
    private static final int MOST_MEMBERS = 10;
    private static final int MOST_ACTS = 60;
    private static final Set<PublicState> ENDED =
            EnumSet.of(
                    PublicState.COMPLETED,
                    PublicState.FAILED,
                    PublicState.CANCELLED,
                    PublicState.EXPIRED,
                    PublicState.SKIPPED);

    private final Scenario world;
    private final Random chance;
    private final Lane lane;
    private final Optional<LostCalls> lost;
    private final OnFailure onFailure;
    private final FlowPlay flow;
    private final List<Lease> held = new ArrayList<>();
    private final long seed;

    /** Members that had what they need once: a replay before them takes nothing away. */
    private final Set<String> satisfied = new HashSet<>();

    private ScenarioWorker worker;
    private boolean cancelled;
    private int names;

    RandomFlow(Scenario world, long seed) {
        this(world, Optional.empty(), seed);
    }

    /**
     * @param lost by whom calls get lost; then workers die, too
     */
    RandomFlow(Scenario world, Optional<LostCalls> lost, long seed) {
        this.world = world;
        this.lost = lost;
        this.seed = seed;
        this.chance = new Random(seed);
        this.lane = world.newLane();
        this.worker = world.worker(lane);
        this.onFailure = pick(List.of(OnFailure.values()));
        this.flow = FlowPlay.of(world, graph());
    }

    /** Plays until all members have ended. */
    void play() {
        check();
        lost.ifPresent(it -> it.begin(seed));
        for (int acts = 0; acts < MOST_ACTS && !flow.state().ended(); acts++) {
            act();
            check();
        }
        // Whatever is left is done in a row; nothing may be forgotten.
        while (flow.view().open()) {
            var closing = flow.change().closing();
            said(() -> flow.extend(closing));
        }
        while (!flow.state().ended()) {
            end(Endings::complete);
            check();
        }
        lost.ifPresent(LostCalls::end);
        replay();
        check();
    }

    private FlowSubmission graph() {
        int size = 1 + chance.nextInt(MOST_MEMBERS);
        var members = new ArrayList<Member>();
        var edges = new ArrayList<Edge>();
        for (int n = 0; n < size; n++) {
            var before = members.stream().map(Member::name).filter(it -> chance.nextInt(3) == 0);
            var member = member(before.toList(), edges);
            members.add(member);
        }
        var submission =
                FlowSubmission.of("random").policy(FlowPolicy.DEFAULT.onFailure(onFailure));
        var whole = submission.graph(members, edges);
        return chance.nextInt(4) == 0 ? whole.leftOpen() : whole;
    }

    /** A member that comes after some. */
    private Member member(List<String> before, List<Edge> edges) {
        var member = Member.of("m" + names++, work().lane(lane));
        for (String upstream : before) {
            edges.add(
                    new Edge(
                            upstream,
                            member.name(),
                            chance.nextInt(5) == 0 ? Edge.On.COMPLETION : Edge.On.SUCCESS));
        }
        boolean all = before.isEmpty() || chance.nextBoolean();
        var join = all ? Join.ALL_OF : Join.quorum(1 + chance.nextInt(before.size()));
        return member.join(chance.nextBoolean() ? join.letRun() : join.cancelRemaining());
    }

    // What happens.

    private void act() {
        if (lost.isPresent() && chance.nextInt(15) == 0) {
            die();
            return;
        }
        switch (chance.nextInt(12)) {
            case 0 -> cancelMember();
            case 1 -> replay();
            case 2 -> extend();
            case 3 -> cancelSometimes();
            case 4, 5 -> end(Endings::fail);
            default -> end(Endings::complete);
        }
    }

    /** Takes some of what can be taken, and ends some of what is held, in one call. */
    private void end(Function<Lease, Ending> how) {
        int most = 1 + chance.nextInt(3);
        var claimed = said(() -> worker.claim(most), () -> worker.repeatClaim(most));
        if (claimed.isEmpty()) {
            die();
            return;
        }
        for (var lease : claimed.get()) {
            mayRun(lease);
            held.add(lease);
        }
        var some = held.stream().filter(lease -> chance.nextInt(3) > 0).toList();
        held.removeAll(some);
        var endings = some.stream().map(how).toList();
        if (said(() -> world.store().leases().end(endings)).isEmpty()) {
            die();
        }
    }

    // Calls that get lost.

    /** The worker dies, and what it held is taken from it. */
    private void die() {
        held.clear();
        world.bury(worker);
        worker = world.worker(lane);
    }

    private <T> Optional<T> said(Supplier<T> call) {
        return said(call, call);
    }

    /**
     * Makes a call. One that got lost is repeated until it is heard, or the caller gives up.
     *
     * @return its answer, unless the caller has given up
     */
    private <T> Optional<T> said(Supplier<T> call, Supplier<T> repeat) {
        lost.ifPresent(LostCalls::forget);
        var next = call;
        while (true) {
            try {
                var answer = next.get();
                heardAgain(lost.map(LostCalls::unheard).orElse(List.of()), answer);
                return Optional.of(answer);
            } catch (StoreFailure broken) {
                if (lost.isEmpty()) {
                    throw broken;
                }
                if (chance.nextInt(3) == 0) {
                    return Optional.empty();
                }
                next = repeat;
            }
        }
    }

    /** What was ended is answered as it was before. */
    private void heardAgain(List<Answer<?>> before, Object answer) {
        if (answer instanceof List<?> again && again.size() == before.size()) {
            for (int n = 0; n < again.size(); n++) {
                if (before.get(n) instanceof Answer.Done<?>) {
                    assertThat(again.get(n)).as("seed %d: a repeat", seed).isEqualTo(before.get(n));
                }
            }
        }
    }

    // What operators do.

    private void cancelMember() {
        var member = pick(flow.members());
        if (!ENDED.contains(member.state())) {
            said(() -> world.act(new OperatorCommand.Cancel(member.execution())));
        }
    }

    private void replay() {
        var ended =
                flow.members().stream().filter(member -> ENDED.contains(member.state())).toList();
        if (!ended.isEmpty()) {
            var replay = new OperatorCommand.Replay(pick(ended).execution());
            said(() -> world.act(replay));
        }
    }

    private void extend() {
        if (!flow.view().open()) {
            return;
        }
        var edges = new ArrayList<Edge>();
        var before =
                flow.members().stream()
                        .map(MemberView::name)
                        .filter(name -> chance.nextInt(4) == 0)
                        .toList();
        var change = flow.change().member(member(before, edges));
        for (var edge : edges) {
            change = change.edge(edge);
        }
        var whole = change;
        said(() -> flow.extend(whole));
    }

    private void cancelSometimes() {
        if (chance.nextInt(8) == 0 && !flow.state().ended()) {
            var mode = pick(List.of(Mode.values()));
            boolean heard = said(() -> flow.offerCancel(mode)).isPresent();
            cancelled |= heard || lost.orElseThrow().wasDone();
        }
    }

    private <T> T pick(List<T> of) {
        return of.get(chance.nextInt(of.size()));
    }

    // What should be.

    /** How many of the edges into a member were had, and how many can never be. */
    private record Counted(int edges, int met, int missed) {
        boolean satisfied(Join join) {
            return met >= join.needed(edges);
        }

        boolean impossible(Join join) {
            return edges - missed < join.needed(edges);
        }
    }

    private void mayRun(Lease lease) {
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

    private void check() {
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
                .isEqualTo(over ? verdict(states) : FlowState.RUNNING);
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

    private FlowState verdict(Map<PublicState, Long> states) {
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
