package io.flowfabric.core;

import java.util.Locale;

/** The request contradicts what is already stored; nothing was changed. */
public final class Conflict extends FlowFabricException {
    private static final long serialVersionUID = 1L;

    /** What the request contradicts; the lower-case name is the stable code on every wire. */
    public enum Code {
        /** The id is taken by a submission with other content. */
        ID_TAKEN,
        /** The idempotency key is taken by a submission with other content. */
        KEY_TAKEN,
        /** The session id is taken by a session that was opened with other content. */
        SESSION_TAKEN,
        /** The instance lives under the name of another worker. */
        INSTANCE_TAKEN,
        /** This lease was already ended, with other content. */
        ENDED_DIFFERENTLY,
        /** This step was recorded before, with other content. */
        RECORDED_DIFFERENTLY,
        /** This signal was sent before, with other content. */
        SENT_DIFFERENTLY,
        /** The waitpoint is closed, or was never open. */
        WAITPOINT_CLOSED,
        /** There is another frame at this position of the stream. */
        APPENDED_DIFFERENTLY,
        /** The position is not the next one of the stream. */
        NOT_NEXT,
        /** The execution has ended, and not in the way that was asked for. */
        ALREADY_FINISHED,
        /** The execution has not ended, so it has no result, and cannot be replayed or erased. */
        NOT_FINISHED,
        /** The execution was replayed as often as its policy allows. */
        REPLAYS_EXHAUSTED,
        /** This spending was reported before, with other content. */
        SPENT_DIFFERENTLY,
        /** The budget lives with other dimensions, or under another parent. */
        BUDGET_TAKEN,
        /** A lane still names what was to be deleted. */
        NAMED_BY_LANE,
        /** The execution cannot be claimed as it is now. */
        NOT_CLAIMABLE,
        /** The execution and the session that was to get it belong to different namespaces. */
        OTHER_NAMESPACE,
        /** The namespace is in use, and spread over another number of partitions. */
        NAMESPACE_USED,
        /**
         * Work of the lane lies in several partitions, where limits of the lane cannot count it.
         */
        LANE_SPREAD,
        /** The flow or schedule was changed since the revision that the change was made for. */
        STALE_REVISION,
        /** The schedule has no occurrence yet that could be fired. */
        NOT_DUE,
        /** The flow has ended, or takes no members from outside any more. */
        FLOW_CLOSED,
        /** The member has begun or ended, so that nothing can come before it any more. */
        MEMBER_BEGUN,
        /** The member is skipped again as soon as it is replayed: what it needs was not had. */
        MEMBER_SKIPPED,
        /** The execution is not waiting for anything that could be lifted. */
        NOT_WAITING;

        /** The code as it travels: {@code key_taken}. */
        public String wire() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    private final Code code;
    private final String existing;

    /**
     * @param existing the id of what is already there
     */
    public Conflict(Code code, String existing, String explanation) {
        super("%s: %s".formatted(existing, explanation));
        this.code = code;
        this.existing = existing;
    }

    /** The stable reason. */
    public Code code() {
        return code;
    }

    /** What is there already: the id of the existing thing, or a word about it. */
    public String existing() {
        return existing;
    }

    @Override
    public Advice advice() {
        return Advice.CHANGE_THE_REQUEST;
    }
}
