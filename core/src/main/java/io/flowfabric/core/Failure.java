package io.flowfabric.core;

/**
 * Why an attempt failed.
 *
 * <p>A failure must never fail to be reported, so its message and detail are mended and cut instead
 * of refused.
 *
 * @param category what kind of failure it is, for the retry policy to decide on; one of the words
 *     below, or the caller's own
 * @param message one line for people
 * @param detail what an engineer wants to see next, a stack trace perhaps; may be empty
 */
public record Failure(String category, String message, String detail) {
    /** Worth another try. */
    public static final String TRANSIENT = "transient";

    /** Will fail the same way again. */
    public static final String PERMANENT = "permanent";

    /** The process or machine underneath failed. */
    public static final String INFRA_CRASH = "infra_crash";

    /** It took too long. */
    public static final String TIMEOUT = "timeout";

    /** It was called off. */
    public static final String CANCELLED = "cancelled";

    public Failure {
        Text.name("failure category", category, Limit.NAME_BYTES);
        message = Text.mended(message, Limit.MESSAGE_BYTES);
        detail = Text.mended(detail, Limit.FAILURE_DETAIL_BYTES);
    }

    /** A failure without details. */
    public static Failure of(String category, String message) {
        return new Failure(category, message, "");
    }
}
