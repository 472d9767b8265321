package io.flowfabric.core;

/**
 * The limits table: every bound that a request can run into, each with its reason.
 *
 * <p>A value over its limit is refused with {@link Invalid} before anything is stored.
 */
public enum Limit {
    /**
     * A database row, not a file store: larger inputs belong elsewhere, with their address in here.
     */
    INPUT_BYTES(1 << 20),
    /** A result is stored as an input is, and has the same limit. */
    RESULT_BYTES(1 << 20),
    /** A step is read back with every later lease of its execution: a result, not a file. */
    STEP_BYTES(256 << 10),
    /** Steps of one execution: as many as one page lists. More of them are work of their own. */
    STEPS(1000),
    /**
     * All steps of one execution together, with their names and content types: who takes the work
     * over reads all of them before it goes on.
     */
    ALL_STEPS_BYTES(16 << 20),
    /** A signal says what happened; a file belongs elsewhere, with its address in here. */
    SIGNAL_BYTES(64 << 10),
    /** Signals that one execution receives in its life. Who expects more reads a queue. */
    SIGNALS(10_000),
    /**
     * Signals that one waitpoint receives: whoever has a token for it cannot use up all that its
     * execution receives.
     */
    WAITPOINT_SIGNALS(1000),
    /** Waitpoints of one execution, the closed ones too: they are read with every signal. */
    WAITPOINTS(1000),
    /** Waitpoints in one condition. */
    CONDITION_WAITPOINTS(100),
    /**
     * Signals that it takes to meet one condition: what they were is kept until the last one has
     * come, and is then a step.
     */
    CONDITION_SIGNALS(250),
    /** A frame is said in passing; ten readers may be sent it at once. */
    FRAME_BYTES(64 << 10),
    /** Durable frames of one attempt: what one commit can forget. */
    FRAMES(100_000),
    /** All durable frames of one attempt together, with their types and content types. */
    STREAM_BYTES(64 << 20),
    /** Frames of one attempt that do not stay: so far a reader may be behind. */
    LIVE_FRAMES(256),
    /** A summary is read and written as a whole with every patch. */
    SUMMARY_BYTES(256 << 10),
    /** Members of one flow: a graph is checked, and shown, as a whole. */
    FLOW_MEMBERS(10_000),
    /** Edges of one flow: ten for each member. */
    FLOW_EDGES(100_000),
    /** Inputs of all members of a flow that come in one call: they are stored in one commit. */
    FLOW_BYTES(64 << 20),
    /** A million frames a second for twelve days; every store can count so far. */
    POSITION(1L << 40),
    /** Keys, kinds, creators, workers, steps: indexed, and shown on one line. */
    NAME_BYTES(256),
    /** The width of a lane name on the wire of the original. */
    LANE_BYTES(64),
    /** Enough to search by; more belongs into the input. */
    TAGS(32),
    /** A key of a tag: it is part of an index. */
    TAG_KEY_BYTES(256),
    /** A value of a tag: it is part of an index. */
    TAG_VALUE_BYTES(256),
    /** More than any machine honestly offers. */
    CAPABILITIES(256),
    /** Of the sorted, comma-joined form, as in the original. */
    CAPABILITY_BYTES(4096),
    /**
     * A person reads it. Longer failure messages are cut, because a failure must never fail to be
     * reported.
     */
    MESSAGE_BYTES(4096),
    /** A stack trace. Longer ones are cut. */
    FAILURE_DETAIL_BYTES(64 << 10),
    /** Room for ten bands of priorities with nine hundred steps each; the range of the original. */
    PRIORITY(9000),
    /** What one call may carry; larger loads are sent in chunks. */
    BATCH(10_000),
    /** One transaction that a claim may hold. */
    CLAIM(256),
    /** What one read returns. */
    PAGE(1000),
    /** Lanes that one session may serve. */
    SESSION_LANES(256),
    /** Kinds that one session may name. */
    SESSION_KINDS(1024),
    /** Retries, reclaims and replays are small numbers or they are loops. */
    COUNT(1_000_000),
    /** Weights are shares; a share of a thousandth is starvation by configuration. */
    LANE_WEIGHT(1000),
    /** Each is a row that starts and ends of work wait for. */
    QUOTAS(8),
    /** Each has a row for each of its dimensions that starts and ends of work wait for. */
    BUDGETS(8),
    /** What one budget may count: tokens, cents, calls. */
    DIMENSIONS(16),
    /** So large that a million of them still add up. */
    AMOUNT(1_000_000_000_000L),
    /** More starts in a window are counted better by a budget with a period. */
    RATE(1_000_000),
    /** The name of a schedule: with a time it is the idempotency key of each occurrence. */
    SCHEDULE_NAME_BYTES(128),
    /** Missed occurrences that are made up for: what one schedule may submit at once. */
    CATCH_UP(100),
    /** A ticket that is not used within a minute is lost, and keeps others waiting. */
    GRANT_TTL_MILLIS(60_000L),
    /**
     * A session that is presumed alive longer than this without a sign of life is a lost session.
     */
    SESSION_TTL_MILLIS(3_600_000L),
    /** A hundred years: every sum of a time and a duration stays inside every store's range. */
    DURATION_MILLIS(36_525L * 86_400_000L);

    private final long max;

    Limit(long max) {
        this.max = max;
    }

    /** The largest value that is still accepted. */
    public long max() {
        return max;
    }

    /** Refuses a size that is over the limit. */
    public void checkSize(String field, long size, String unit) {
        if (size > max) {
            throw new Invalid(
                    Invalid.Code.TOO_LARGE,
                    field,
                    "%d %s are more than the %d that are accepted.".formatted(size, unit, max));
        }
    }

    /** Refuses a collection that has more members than the limit. */
    public void checkCount(String field, int count) {
        if (count > max) {
            throw new Invalid(
                    Invalid.Code.TOO_MANY,
                    field,
                    "%d are more than the %d that are accepted.".formatted(count, max));
        }
    }

    /** Refuses a number outside of {@code min} to the limit, and returns it. */
    public long checkRange(String field, long min, long value) {
        if (value < min || value > max) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    field,
                    "%d is outside of the accepted range %d to %d.".formatted(value, min, max));
        }
        return value;
    }
}
