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
    private final Map<Integer, List<Arc>> from;
    private final int replayed;
    private final Set<Integer> there;
    private final Set<Integer> open = new TreeSet<>();

    /**
     * Of each member how many of its edges were had, and can never be, while all that is open is.
     */
    private final int[] met;

    private final int[] missed;

    private FlowReopening(
            FlowRecord flow,
            List<MemberRecord> members,
            Collection<Arc> arcs,
            int replayed,
            Set<Integer> there) {
        this.flow = flow;
        // What comes into a flow that is closed is known.
        this.members = flow.open() ? members : members.stream().map(MemberRecord::sealed).toList();
        this.met = new int[members.size()];
        this.missed = new int[members.size()];
        this.from = arcs.stream().collect(groupingBy(Arc::upstream));
        this.replayed = replayed;
        this.there = there;
    }

    /**
     * What is reopened.
     *
     * @param members those that are different now
     * @param open those that have ended, and are to be done again with the one that is replayed
     * @param waiting those that wait for others by then
     */
    public record Reopened(
            FlowRecord flow, List<MemberRecord> members, Set<Integer> open, Set<Integer> waiting) {
        /** Whether a member that is reopened has to wait for those before it. */
        public boolean waits(int member) {
            return waiting.contains(member);
        }
    }

    /**
     * Decides what a replay reopens.
     *
     * @param flow settled
     * @param members all of the flow, in the order of their numbers
     * @param arcs all of the flow
     * @param replayed the number of the member, which has ended
     * @param there those of the {@link #skipped} whose executions are kept and can be read: the
     *     others cannot be done again
     * @throws Conflict when the flow was cancelled, or the member would be skipped again at once
     */
    public static Reopened reopen(
            FlowRecord flow,
            List<MemberRecord> members,
            Collection<Arc> arcs,
            int replayed,
            Set<Integer> there,
            Instant now) {
        FlowChanges.mustBeSettled(flow);
        return new FlowReopening(flow, members, arcs, replayed, there).decide(now);
    }

    /** The members that a replay may reopen. */
    public static List<MemberRecord> skipped(List<MemberRecord> members, int replayed) {
        return members.stream()
                .filter(it -> it.number() != replayed)
                .filter(it -> it.outcome().equals(Optional.of(Outcome.SKIPPED)))
                .toList();
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
                flow.reopened().going(tally, flow.consequences()),
                changed,
                Set.copyOf(open),
                changed.stream()
                        .filter(MemberRecord::waits)
                        .map(MemberRecord::number)
                        .collect(Collectors.toUnmodifiableSet()));
    }

    private static MemberRecord opened(MemberRecord member, Instant now) {
        var verdict = member.verdict();
        return member.decided() == Decided.SATISFIED || verdict == member.decided()
                ? member
                : member.decided(verdict, now);
    }

    private void findOpen(MemberRecord member) {
        open.add(replayed);
        candidates(member);
        members.stream()
                .filter(it -> !it.live() && !open.contains(it.number()))
                .forEach(this::count);
        boolean again;
        do {
            var stay =
                    open.stream()
                            .filter(n -> n != replayed && (isImpossible(n) || isRelieved(n)))
                            .collect(Collectors.toSet());
            again = open.removeAll(stay);
            stay.forEach(n -> count(members.get(n)));
        } while (again);
    }

    private void candidates(MemberRecord member) {
        int lost = flow.tally().reopened(member.outcome().orElseThrow()).lost();
        if (flow.policy().onFailure() == OnFailure.FAIL_FAST && lost > 0) {
            return;
        }
        skipped(members, replayed).stream()
                .map(MemberRecord::number)
                .filter(there::contains)
                .forEach(open::add);
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

    /** Counts the end of a member for those that come after it. */
    private void count(MemberRecord ended) {
        for (var arc : from.getOrDefault(ended.number(), List.of())) {
            boolean had =
                    ended.outcome().orElseThrow() == Outcome.SUCCESS
                            || arc.on() == Edge.On.COMPLETION;
            (had ? met : missed)[arc.downstream()]++;
        }
    }

    /** A member with its edges counted as if all that is open had not ended. */
    private MemberRecord counted(int number) {
        var member = members.get(number);
        return member.counted(member.edges(), met[number], missed[number]);
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
