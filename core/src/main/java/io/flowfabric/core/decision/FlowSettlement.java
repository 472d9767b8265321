package io.flowfabric.core.decision;

import static java.util.stream.Collectors.toMap;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.decision.FlowGraph.Position;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Consequence;
import io.flowfabric.core.flow.Consequence.Relieve;
import io.flowfabric.core.flow.Consequence.Resolve;
import io.flowfabric.core.flow.Consequence.Stop;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.flow.MemberTally;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Granted;
import io.flowfabric.core.state.ExecutionState.Running;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeMap;

/**
 * What follows in a flow when members of it have ended: those that come after them start or are
 * skipped, those that are not needed any more are skipped, and the flow itself ends with the last.
 *
 * <p>It is decided in pieces, because a graph may be large and a commit should not be. What one
 * piece leaves is kept with the flow, in the order in which it came up, so that it does not matter
 * how large the pieces are: the same comes of it in the end.
 */
public final class FlowSettlement {
    private final FlowGraph graph;
    private final Instant now;
    private final FlowRecord before;

    /** Members as they are by now, of those that were looked at. */
    private final Map<Integer, MemberRecord> members = new HashMap<>();

    private final Map<Integer, MemberRecord> changed = new TreeMap<>();
    private final List<MemberStep> steps = new ArrayList<>();
    private final ArrayDeque<Consequence> agenda;
    private MemberTally tally;

    private FlowSettlement(FlowRecord before, FlowGraph graph, Instant now) {
        this.before = before;
        this.graph = graph;
        this.now = now;
        this.tally = before.tally();
        this.agenda = new ArrayDeque<>(before.consequences());
    }

    /** A member that has ended, as its store has written it. */
    public record EndedMember(int number, Outcome outcome) {}

    /**
     * A step that a member takes because of the others.
     *
     * @param member its number; {@link #PARENT} for the execution that awaits the flow
     */
    public record MemberStep(int member, Facts facts, Change change) {
        /** Of the execution that awaits the flow, which is none of its members. */
        public static final int PARENT = -1;
    }

    /**
     * What a piece has come to.
     *
     * @param flow as it is now; there is more to do while it is unsettled
     * @param members those that are different now
     * @param steps what their executions do
     */
    public record Settled(
            FlowRecord flow, Collection<MemberRecord> members, List<MemberStep> steps) {}

    /**
     * Decides a piece of what follows.
     *
     * @param ended members whose executions have ended since the flow was settled last
     * @param most how many arcs and members are looked at, roughly
     */
    public static Settled settle(
            FlowRecord flow, FlowGraph graph, List<EndedMember> ended, Instant now, int most) {
        var settlement = new FlowSettlement(flow, graph, now);
        settlement.haveEnded(ended);
        return settlement.go(most);
    }

    /**
     * Decides a piece of what follows from a change of the graph.
     *
     * @param changed members into which edges came, or will come no more
     */
    public static Settled extend(
            FlowRecord flow, FlowGraph graph, List<Integer> changed, Instant now, int most) {
        var settlement = new FlowSettlement(flow, graph, now);
        settlement.load(changed);
        changed.forEach(settlement::relieveIfSatisfied);
        settlement.take(
                changed.stream()
                        .flatMap(member -> settlement.decide(member, Optional.empty()).stream())
                        .toList());
        return settlement.go(most);
    }

    private void haveEnded(List<EndedMember> ended) {
        load(ended.stream().map(EndedMember::number).toList());
        for (var end : ended) {
            var member = member(end.number);
            if (member.live()) {
                ends(member, end.outcome);
            }
        }
    }

    private Settled go(int most) {
        int left = most;
        while (left > 0 && !agenda.isEmpty() && tally.live() > 0) {
            left -=
                    switch (agenda.getFirst()) {
                        case Stop stop -> stop(stop, left);
                        case Resolve resolve -> resolve(left);
                        case Relieve relieve -> relieve(relieve, left);
                    };
        }
        // Without members that have not ended there is nobody to tell.
        boolean over = tally.live() == 0;
        var after = before.going(tally, over ? List.of() : List.copyOf(agenda));
        if (over && !after.awaitsMore() && !after.state().ended()) {
            after = after.ended(now);
            after.parent().flatMap(graph::parent).ifPresent(this::goOn);
        }
        return new Settled(after, List.copyOf(changed.values()), List.copyOf(steps));
    }

    private void goOn(Facts parent) {
        FlowAwaiting.goOn(parent, before.id(), now)
                .ifPresent(step -> steps.add(new MemberStep(MemberStep.PARENT, parent, step)));
    }

    // What is to be done, a piece of it at a time. Each says how much it looked at.

    private int stop(Stop stop, int most) {
        var some = graph.live(stop.after(), most);
        var acted = some.stream().map(member -> members.getOrDefault(member.number(), member));
        var live = acted.filter(MemberRecord::live).toList();
        live.forEach(member -> members.put(member.number(), member));
        agenda.removeFirst();
        if (some.size() == most) {
            agenda.addFirst(stop.after(some.getLast().number()));
        }
        var facts = graph.facts(live);
        for (var member : live) {
            var its = facts.get(member.number());
            if (its != null && concerns(stop.which(), its)) {
                end(
                        member,
                        its,
                        stop.which() == Consequence.Which.SKIP_ALL ? failed() : cancelled());
            }
        }
        return Math.max(1, some.size());
    }

    private static boolean concerns(Consequence.Which which, Facts facts) {
        return switch (which) {
            case SKIP_ALL, CANCEL_ALL -> true;
            case CANCEL_PENDING -> facts.attempts() == 0;
            case CANCEL_INACTIVE ->
                    !(facts.state() instanceof Running) && !(facts.state() instanceof Granted);
        };
    }

    /** Tells those that come after members that have ended, as many members as stand in a row. */
    private int resolve(int most) {
        var ended = new ArrayList<Resolve>();
        for (var next : agenda) {
            if (!(next instanceof Resolve resolve)) {
                break;
            }
            ended.add(resolve);
        }
        var arcs =
                graph.from(
                        ended.stream().map(end -> new Position(end.member(), end.after())).toList(),
                        most);
        boolean all = arcs.size() < most;
        var successes = new HashMap<Integer, Boolean>();
        for (var end : ended) {
            agenda.removeFirst();
            successes.put(end.member(), end.success());
            if (!all && end.member() == arcs.getLast().upstream()) {
                agenda.addFirst(end.after(arcs.getLast().downstream()));
                break;
            }
        }
        load(arcs.stream().map(Arc::downstream).toList());
        var decided = new ArrayList<Decision>();
        for (var arc : arcs) {
            boolean success = Objects.requireNonNull(successes.get(arc.upstream()));
            tell(arc, success).ifPresent(decided::add);
        }
        take(decided);
        return Math.max(1, arcs.size());
    }

    /** What has come of a member, and the one before it that decided it, where one did. */
    private record Decision(int member, Optional<Integer> upstream, Decided decided) {}

    private Optional<Decision> tell(Arc arc, boolean success) {
        var child = member(arc.downstream());
        if (!child.live()) {
            return Optional.empty();
        }
        put(child.resolved(success || arc.on() == Edge.On.COMPLETION));
        return decide(arc.downstream(), Optional.of(arc.upstream()));
    }

    private Optional<Decision> decide(int number, Optional<Integer> upstream) {
        var member = member(number);
        var verdict = member.verdict();
        if (!member.waits() || verdict == Decided.PENDING) {
            return Optional.empty();
        }
        put(member.decided(verdict, now));
        return Optional.of(new Decision(number, upstream, verdict));
    }

    /** Lets members start, or skips them, in the order in which that was decided. */
    private void take(List<Decision> decided) {
        if (decided.isEmpty()) {
            return;
        }
        var facts = graph.facts(decided.stream().map(it -> member(it.member)).toList());
        for (var decision : decided) {
            var member = member(decision.member);
            var its = facts.get(decision.member);
            if (its != null && decision.decided == Decided.SATISFIED) {
                satisfy(its)
                        .ifPresent(step -> steps.add(new MemberStep(member.number(), its, step)));
            } else if (its != null) {
                end(member, its, skipped(decision));
            }
            mayRelieve(member);
        }
    }

    /** A member may come with what it needs, and not need the others that it comes after. */
    private void relieveIfSatisfied(int number) {
        if (member(number).decided() == Decided.SATISFIED) {
            mayRelieve(member(number));
        }
    }

    private void mayRelieve(MemberRecord decided) {
        if (decided.join().remaining() == Join.Remaining.CANCEL
                && decided.edges() > decided.met() + decided.missed()) {
            agenda.addLast(new Relieve(decided.number(), -1));
        }
    }

    private Optional<Change> satisfy(Facts facts) {
        return facts.state() instanceof Blocked blocked && blocked.by() == BlockedBy.DEPENDENCIES
                ? Optional.of(Change.of(facts, Transition.SATISFY, blocked.behind().unlessDue(now)))
                : Optional.empty();
    }

    /** Skips those before a member that nothing else needs. */
    private int relieve(Relieve relieve, int most) {
        var arcs = graph.into(relieve.member(), relieve.after(), most);
        agenda.removeFirst();
        if (arcs.size() == most) {
            agenda.addFirst(relieve.after(arcs.getLast().upstream()));
        }
        load(arcs.stream().map(Arc::upstream).toList());
        var running =
                arcs.stream()
                        .map(arc -> member(arc.upstream()))
                        .filter(MemberRecord::live)
                        .toList();
        var numbers = running.stream().map(MemberRecord::number).toList();
        var needed = graph.needed(numbers, settled());
        var losers = running.stream().filter(it -> !needed.contains(it.number())).toList();
        var facts = graph.facts(losers);
        var why =
                Attribution.engine(
                        "%s does not need it any more".formatted(member(relieve.member()).name()));
        for (var loser : losers) {
            var its = facts.get(loser.number());
            if (its != null) {
                end(loser, its, new End(Transition.SKIP, Outcome.SKIPPED, why));
            }
        }
        return Math.max(1, arcs.size());
    }

    /** Members that are decided or have ended by now, although the store may not say so. */
    private List<Integer> settled() {
        return changed.values().stream()
                .filter(member -> !member.waits())
                .map(MemberRecord::number)
                .toList();
    }

    // How members end.

    private record End(Transition transition, Outcome outcome, Attribution by) {}

    private End skipped(Decision decision) {
        var missing =
                decision.upstream
                        .map(upstream -> "it needs %s".formatted(member(upstream).name()))
                        .orElse("what it needs did not succeed");
        return new End(Transition.SKIP, Outcome.SKIPPED, Attribution.engine(missing));
    }

    private static End failed() {
        return new End(Transition.SKIP, Outcome.SKIPPED, Attribution.engine("its flow has failed"));
    }

    private End cancelled() {
        return new End(Transition.CANCEL, Outcome.CANCELLED, before.cancelled().orElseThrow().by());
    }

    private void end(MemberRecord member, Facts facts, End how) {
        if (facts.state().terminal()) {
            return;
        }
        steps.add(
                new MemberStep(
                        member.number(),
                        facts,
                        Change.finish(facts, how.transition, how.outcome, now).by(how.by)));
        ends(member, how.outcome);
    }

    private void ends(MemberRecord member, Outcome outcome) {
        put(member.ended(outcome, now));
        tally = tally.ended(outcome);
        agenda.addLast(new Resolve(member.number(), outcome == Outcome.SUCCESS, -1));
        boolean lost =
                outcome == Outcome.FAILED
                        || outcome == Outcome.EXPIRED
                        || outcome == Outcome.CANCELLED;
        if (lost
                && before.policy().onFailure() == OnFailure.FAIL_FAST
                && before.cancelled().isEmpty()
                && agenda.stream().noneMatch(Stop.class::isInstance)) {
            agenda.addFirst(new Stop(Consequence.Which.SKIP_ALL, -1));
        }
    }

    // Members, as they are by now.

    private void load(List<Integer> numbers) {
        var unknown = numbers.stream().distinct().filter(n -> !members.containsKey(n)).toList();
        if (!unknown.isEmpty()) {
            members.putAll(
                    graph.members(unknown).stream().collect(toMap(MemberRecord::number, it -> it)));
        }
    }

    private MemberRecord member(int number) {
        return members.computeIfAbsent(
                number, unknown -> graph.members(List.of(unknown)).iterator().next());
    }

    private void put(MemberRecord member) {
        members.put(member.number(), member);
        changed.put(member.number(), member);
    }
}
