package io.flowfabric.core.flow;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.state.Outcome;

import java.time.Instant;
import java.util.Optional;

/**
 * What is kept of a member beside its execution: what it waits for, how much of that it has, and
 * how it ended. It changes only under the lock of its flow.
 *
 * @param number its place in the flow, from 0, in the order in which members were added
 * @param growing whether edges into it may still come, so that nothing is decided yet
 * @param edges how many edges lead into it
 * @param met how many of them count as had
 * @param missed how many of them can never be had
 * @param decided what has come of that
 * @param readyAt when it had all that it needed
 * @param outcome how it ended, if it did
 * @param endedAt when it ended
 */
public record MemberRecord(
        int number,
        String name,
        ExecutionId execution,
        Join join,
        boolean growing,
        int edges,
        int met,
        int missed,
        Decided decided,
        Optional<Instant> readyAt,
        Optional<Outcome> outcome,
        Optional<Instant> endedAt) {
    /** What has come of the edges into a member. */
    public enum Decided {
        /** It waits for them. */
        PENDING,
        /** It has what it needs. */
        SATISFIED,
        /** It can never have what it needs. */
        IMPOSSIBLE
    }

    /** A member that was just added, with nothing of what it needs. */
    public static MemberRecord added(int number, Member member) {
        return new MemberRecord(
                number,
                member.name(),
                member.work().id(),
                member.join(),
                member.growing(),
                0,
                0,
                0,
                Decided.PENDING,
                Optional.empty(),
                Optional.empty(),
                Optional.empty());
    }

    /** Whether it has not ended. */
    public boolean live() {
        return outcome.isEmpty();
    }

    /** Whether it has not ended, and is not decided. */
    public boolean waits() {
        return live() && decided == Decided.PENDING;
    }

    /** What its edges come to by now. */
    public Decided verdict() {
        int needed = join.needed(edges);
        if (growing) {
            return Decided.PENDING;
        }
        if (met >= needed) {
            return Decided.SATISFIED;
        }
        return edges - missed < needed ? Decided.IMPOSSIBLE : Decided.PENDING;
    }

    /** This member with one edge more into it. */
    public MemberRecord withEdge() {
        return counted(edges + 1, met, missed);
    }

    /** This member, after the upstream of one of its edges has ended. */
    public MemberRecord resolved(boolean had) {
        return counted(edges, met + (had ? 1 : 0), missed + (had ? 0 : 1));
    }

    /** This member with other counts. */
    public MemberRecord counted(int otherEdges, int otherMet, int otherMissed) {
        return new MemberRecord(
                number,
                name,
                execution,
                join,
                growing,
                otherEdges,
                otherMet,
                otherMissed,
                decided,
                readyAt,
                outcome,
                endedAt);
    }

    /** This member, into which no more edges come. */
    public MemberRecord sealed() {
        return new MemberRecord(
                number, name, execution, join, false, edges, met, missed, decided, readyAt, outcome,
                endedAt);
    }

    /** This member with what has come of its edges. */
    public MemberRecord decided(Decided other, Instant now) {
        return new MemberRecord(
                number,
                name,
                execution,
                join,
                growing,
                edges,
                met,
                missed,
                other,
                other == Decided.SATISFIED ? Optional.of(now) : Optional.empty(),
                outcome,
                endedAt);
    }

    /** This member at its end. */
    public MemberRecord ended(Outcome how, Instant at) {
        return new MemberRecord(
                number,
                name,
                execution,
                join,
                growing,
                edges,
                met,
                missed,
                decided,
                readyAt,
                Optional.of(how),
                Optional.of(at));
    }

    /** This member as if it had not ended. */
    public MemberRecord reopened() {
        return new MemberRecord(
                number,
                name,
                execution,
                join,
                growing,
                edges,
                met,
                missed,
                decided,
                readyAt,
                Optional.empty(),
                Optional.empty());
    }
}
