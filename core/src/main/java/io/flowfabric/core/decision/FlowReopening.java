package io.flowfabric.core.decision;

import static java.util.stream.Collectors.groupingBy;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.flow.Arc;
import io.flowfabric.core.flow.Edge;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.Join;
import io.flowfabric.core.flow.MemberRecord;
import io.flowfabric.core.flow.MemberRecord.Decided;
import io.flowfabric.core.state.BlockedBy;
import io.flowfabric.core.state.ExecutionState.Blocked;
import io.flowfabric.core.state.ExecutionState.Ready;
import io.flowfabric.core.state.LeasePurpose;
import io.flowfabric.core.state.Outcome;
import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;

/**
 * What a replay of a member reopens in its flow: exactly those members that would not be skipped if
 * it had not ended.
 *
 * <p>A member is skipped for one of three reasons, all of which can be seen: what it needs cannot
 * be had, nothing needs it any more, or its flow has failed and was to fail fast. So all that were
 * skipped are taken as open first, and those are taken out again that have a reason left, until
 * none has.
 */
public final class FlowReopening {
    private final FlowRecord flow;
    private final List<MemberRecord> members;
    private final Map<Integer, List<Arc>> into;
    private final Map<Integer, List<Arc>> from;
    private final int replayed;
    private final Set<Integer> open = new TreeSet<>();

    private FlowReopening(
            FlowRecord flow, List<MemberRecord> members, Collection<Arc> arcs, int replayed) {
        this.flow = flow;
        this.members = members;
        this.into = arcs.stream().collect(groupingBy(Arc::downstream));
        this.from = arcs.stream().collect(groupingBy(Arc::upstream));
        this.replayed = replayed;
    }

    /**
     * What is reopened.
     *
     * @param members those that are different now
     * @param open those that have ended, and are to be done again with the one that is replayed
     */
    public record Reopened(FlowRecord flow, List<MemberRecord> members, Set<Integer> open) {
        /** Whether a member that is reopened has to wait for those before it. */
        public boolean waits(int member) {
            return members.stream().anyMatch(it -> it.number() == member && it.waits());
        }
    }

    /**
     * Decides what a replay reopens.
     *
     * @param flow settled
     * @param members all of the flow, in the order of their numbers
     * @param arcs all of the flow
     * @param replayed the number of the member, which has ended
     * @throws Conflict when the flow was cancelled, or the member would be skipped again at once
     */
    public static Reopened reopen(
            FlowRecord flow,
            List<MemberRecord> members,
            Collection<Arc> arcs,
            int replayed,
            Instant now) {
        FlowChanges.mustBeSettled(flow);
        return new FlowReopening(flow, members, arcs, replayed).decide(now);
    }

    private Reopened decide(Instant now) {
        var member = members.get(replayed);
        if (flow.cancelled().isPresent()) {
            throw new Conflict(
                    Conflict.Code.FLOW_CLOSED,
                    flow.id().toString(),
                    "The flow was cancelled: submit what is to be done as another one.");
        }
        findOpen(member);
        if (isImpossible(replayed)) {
            throw new Conflict(
                    Conflict.Code.MEMBER_SKIPPED,
                    member.execution().toString(),
                    "What the member %s needs did not succeed: replay that, and this one is opened with it."
                            .formatted(member.name()));
        }
        var changed = new ArrayList<MemberRecord>();
        var tally = flow.tally();
        for (var each : members) {
            var after = counted(each.number());
            if (open.contains(each.number())) {
                tally = tally.reopened(each.outcome().orElseThrow());
                after = opened(after.reopened(), now);
            }
            if (!after.equals(each)) {
                changed.add(after);
            }
        }
        return new Reopened(
                flow.reopened().going(tally, flow.consequences()), changed, Set.copyOf(open));
    }

    private static MemberRecord opened(MemberRecord member, Instant now) {
        var verdict = member.verdict();
        return member.decided() == Decided.SATISFIED || verdict == member.decided()
                ? member
                : member.decided(verdict, now);
    }

    private void findOpen(MemberRecord member) {
        open.add(replayed);
        int lost = flow.tally().reopened(member.outcome().orElseThrow()).lost();
        if (flow.policy().onFailure() == OnFailure.FAIL_FAST && lost > 0) {
            return;
        }
        members.stream()
                .filter(it -> it.outcome().equals(Optional.of(Outcome.SKIPPED)))
                .forEach(it -> open.add(it.number()));
        boolean again;
        do {
            var stay =
                    open.stream()
                            .filter(n -> n != replayed && (isImpossible(n) || isRelieved(n)))
                            .collect(Collectors.toSet());
            again = open.removeAll(stay);
        } while (again);
    }

    private boolean isImpossible(int number) {
        return members.get(number).decided() != Decided.SATISFIED
                && counted(number).verdict() == Decided.IMPOSSIBLE;
    }

    /** Whether one that comes after it let go of it, and none is left that waits for it. */
    private boolean isRelieved(int number) {
        var downstreams = from.getOrDefault(number, List.of());
        return downstreams.stream().anyMatch(arc -> letsGo(arc.downstream()))
                && downstreams.stream().noneMatch(arc -> waits(arc.downstream()));
    }

    private boolean letsGo(int number) {
        var member = members.get(number);
        return member.join().remaining() == Join.Remaining.CANCEL
                && (member.decided() == Decided.SATISFIED
                        || counted(number).verdict() == Decided.IMPOSSIBLE);
    }

    private boolean waits(int number) {
        boolean live = open.contains(number) || members.get(number).live();
        return live
                && members.get(number).decided() != Decided.SATISFIED
                && counted(number).verdict() == Decided.PENDING;
    }

    /** A member with its edges counted as if all that is open had not ended. */
    private MemberRecord counted(int number) {
        int met = 0;
        int missed = 0;
        for (var arc : into.getOrDefault(number, List.of())) {
            var outcome = members.get(arc.upstream()).outcome();
            if (outcome.isPresent() && !open.contains(arc.upstream())) {
                boolean had = outcome.get() == Outcome.SUCCESS || arc.on() == Edge.On.COMPLETION;
                met += had ? 1 : 0;
                missed += had ? 0 : 1;
            }
        }
        var member = members.get(number);
        return member.counted(member.edges(), met, missed);
    }

    /**
     * The step by which a member is reopened.
     *
     * @param waits whether it waits for those before it
     */
    public static Change change(Facts facts, boolean waits, Instant now) {
        var ready = new Ready(LeasePurpose.REPLAY);
        return Change.of(
                        facts,
                        Transition.REPLAY,
                        waits
                                ? new Blocked(BlockedBy.DEPENDENCIES, FlowAcceptance.WAITS, ready)
                                : ready)
                .counts(0, 0, facts.replays() + 1)
                .deadline(facts.policy().deadlineAfterReplay(now))
                .by(Attribution.engine("a member before it is replayed"));
    }

    /** The replay of a member, which waits if what it needs is not there. */
    public static Change waiting(Facts facts, Change replay) {
        return Change.of(
                        facts,
                        Transition.REPLAY,
                        new Blocked(
                                BlockedBy.DEPENDENCIES,
                                FlowAcceptance.WAITS,
                                new Ready(LeasePurpose.REPLAY)))
                .counts(replay.retries(), replay.reclaims(), replay.replays())
                .deadline(replay.deadline())
                .fresh(replay.fresh())
                .by(replay.by().orElseThrow());
    }
}
