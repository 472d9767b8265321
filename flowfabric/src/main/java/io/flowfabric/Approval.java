package io.flowfabric;

import java.util.List;

/**
 * How a wait for approval ended.
 *
 * @param verdict what was decided
 * @param by the names of those who said something, in that order
 */
public record Approval(Verdict verdict, List<String> by) {
    /** What was decided. */
    public enum Verdict {
        /** As many as were asked for have agreed. */
        APPROVED,
        /** One of those who answered has disagreed. */
        REJECTED,
        /** Too few have answered in time. */
        TIMED_OUT,
        /** An operator has let the work go on without an answer. */
        LET_THROUGH
    }

    public Approval {
        by = List.copyOf(by);
    }

    /** Whether as many as were asked for have agreed, or an operator let the work go on. */
    public boolean approved() {
        return verdict == Verdict.APPROVED || verdict == Verdict.LET_THROUGH;
    }
}
