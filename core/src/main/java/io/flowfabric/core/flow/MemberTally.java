package io.flowfabric.core.flow;

import io.flowfabric.core.state.Outcome;

/**
 * How many members of a flow have not ended, and how the others ended.
 *
 * @param live how many have not ended
 */
public record MemberTally(
        int live, int succeeded, int failed, int cancelled, int expired, int skipped) {
    /** No members at all. */
    public static final MemberTally NONE = new MemberTally(0, 0, 0, 0, 0, 0);

    /** So many more that have not ended. */
    public MemberTally added(int members) {
        return new MemberTally(live + members, succeeded, failed, cancelled, expired, skipped);
    }

    /** One of those that had not ended did so. */
    public MemberTally ended(Outcome outcome) {
        return counted(outcome, 1);
    }

    /** One of those that had ended so is to be done again. */
    public MemberTally reopened(Outcome outcome) {
        return counted(outcome, -1);
    }

    private MemberTally counted(Outcome outcome, int n) {
        return new MemberTally(
                live - n,
                succeeded + (outcome == Outcome.SUCCESS ? n : 0),
                failed + (outcome == Outcome.FAILED ? n : 0),
                cancelled + (outcome == Outcome.CANCELLED ? n : 0),
                expired + (outcome == Outcome.EXPIRED ? n : 0),
                skipped + (outcome == Outcome.SKIPPED ? n : 0));
    }

    /** How many there are. */
    public int all() {
        return live + succeeded + failed + cancelled + expired + skipped;
    }

    /** How many ended in a way that lets a flow fail. */
    public int lost() {
        return failed + cancelled + expired;
    }
}
