package io.flowfabric.testkit.contract;

import static io.flowfabric.testkit.contract.Given.work;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Lane;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowCancellation.Mode;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowSubmission;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.Member;
import io.flowfabric.core.flow.MemberView;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.operate.OperatorCommand;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A graph made by chance, in which things happen by chance. After each of them it is judged by
 * {@link RandomFlowJudge}.
 */
final class RandomFlow {
    private static final int MOST_MEMBERS = 10;
    private static final int MOST_ACTS = 60;

    private final Scenario world;
    private final Random chance;
    private final Lane lane;
    private final Optional<LostCalls> lost;
    private final OnFailure onFailure;
    private final FlowPlay flow;
    private final RandomFlowJudge judge;
    private final List<Lease> held = new ArrayList<>();
    private final long seed;

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
        this.judge = new RandomFlowJudge(world, flow, onFailure, seed);
    }

    /** Plays until all members have ended. */
    void play() {
        judge.check(cancelled);
        lost.ifPresent(it -> it.begin(seed));
        for (int acts = 0; acts < MOST_ACTS && !flow.state().ended(); acts++) {
            act();
            judge.check(cancelled);
        }
        // Whatever is left is done in a row; nothing may be forgotten.
        while (flow.view().open()) {
            var closing = flow.change().closing();
            said(() -> flow.extend(closing));
        }
        while (!flow.state().ended()) {
            end(Endings::complete);
            judge.check(cancelled);
        }
        lost.ifPresent(LostCalls::end);
        replay();
        judge.check(cancelled);
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
            judge.mayRun(lease);
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
        if (!RandomFlowJudge.hasEnded(member)) {
            said(() -> world.act(new OperatorCommand.Cancel(member.execution())));
        }
    }

    private void replay() {
        var ended =
                flow.members().stream().filter(member -> RandomFlowJudge.hasEnded(member)).toList();
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
}
