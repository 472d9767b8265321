package io.flowfabric.core.decision;

import io.flowfabric.core.Conflict;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Session;

/** What every store says, in the same words, when a call contradicts what is there already. */
public final class Conflicts {
    private Conflicts() {}

    /** A session is open under this id, and is not the one that is to be opened. */
    public static Conflict sessionTaken(SessionId id) {
        return new Conflict(
                Conflict.Code.SESSION_TAKEN,
                id.toString(),
                "This session is open with other lanes, kinds or offers: open one with an id of its"
                        + " own.");
    }

    /** The instance of a session that is to be opened has one already. */
    public static Conflict instanceTaken(Session session, SessionId open, String worker) {
        return new Conflict(
                Conflict.Code.INSTANCE_TAKEN,
                open.toString(),
                ("The instance %s is alive as worker %s: give this process an instance name of its"
                                + " own, or wait until that session has expired.")
                        .formatted(session.instance(), worker));
    }

    /** A budget that is to be defined exists, and differs in what never changes. */
    public static Conflict budgetTaken(String budget) {
        return new Conflict(
                Conflict.Code.BUDGET_TAKEN,
                budget,
                "This budget has other dimensions or another parent, which never change: define one"
                        + " under another name.");
    }

    /** A step was recorded before under this name, with other content. */
    public static Conflict recordedDifferently(ExecutionId execution, String step, int attempt) {
        return new Conflict(
                Conflict.Code.RECORDED_DIFFERENTLY,
                step,
                ("This step of %s was recorded in attempt %d with other content: go on with what"
                                + " was recorded, or record under a name of its own.")
                        .formatted(execution, attempt));
    }

    /** A frame was appended at this position before, and it was another one. */
    public static Conflict appendedDifferently(Fence fence, long position) {
        return new Conflict(
                Conflict.Code.APPENDED_DIFFERENTLY,
                Long.toString(position),
                ("Another frame has this position in attempt %d of %s: read where the stream ends,"
                                + " and append there.")
                        .formatted(fence.attempt(), fence.execution()));
    }

    /** A frame was to be appended with a gap before it. */
    public static Conflict notNext(Fence fence, long position, long next) {
        return new Conflict(
                Conflict.Code.NOT_NEXT,
                Long.toString(next),
                ("The next frame in attempt %d of %s has this position, and not %d: append those"
                                + " before it first.")
                        .formatted(fence.attempt(), fence.execution(), position));
    }

    /** Usage was reported before under this key, and it was other usage. */
    public static Conflict spentDifferently(String key) {
        return new Conflict(
                Conflict.Code.SPENT_DIFFERENTLY,
                key,
                "This key was reported before with another amount, dimension or execution: report"
                        + " under a key of its own.");
    }

    /** Something was asked of what has ended. */
    public static Conflict alreadyFinished(ExecutionId execution, PublicState state) {
        return new Conflict(
                Conflict.Code.ALREADY_FINISHED,
                execution.toString(),
                "It has already ended, as %s.".formatted(state.wire()));
    }

    /** A result was asked for before there is one. */
    public static Conflict notFinished(ExecutionId execution, PublicState state) {
        return new Conflict(
                Conflict.Code.NOT_FINISHED,
                execution.toString(),
                "It is %s and has no result yet: follow its completion, or ask again later."
                        .formatted(state.wire()));
    }

    /**
     * A quota or a budget that is to be deleted is named by a lane.
     *
     * @param what the quota or the budget, by its name
     */
    public static Conflict namedByLane(Lane lane, String what) {
        return new Conflict(
                Conflict.Code.NAMED_BY_LANE,
                lane.toString(),
                "This lane names %s: configure it without that first.".formatted(what));
    }
}
