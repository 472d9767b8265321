package io.flowfabric.core;

import io.flowfabric.core.lease.Owner;

import java.time.Instant;

/** One of each, for tests in which it does not matter which. */
public final class Examples {
    public static final Instant NOON = Instant.parse("2026-03-01T12:00:00Z");

    public static final ExecutionId ID =
            ExecutionId.parse("{fp:42}:550e8400-e29b-41d4-a716-446655440000");

    public static final ExecutionId OTHER_ID =
            ExecutionId.parse("{fp:7}:6ba7b810-9dad-11d1-80b4-00c04fd430c8");

    public static final Fence FENCE = new Fence(ID, 0, 1);

    public static final Fence OTHER_FENCE = new Fence(ID, 0, 2);

    public static final SessionId SESSION = SessionId.parse("11111111-1111-4111-8111-111111111111");

    public static final Owner OWNER = new Owner(SESSION, "mailer", "mailer-1");

    public static final Failure FAILURE = new Failure(Failure.TRANSIENT, "no route", "at Line 1");

    private Examples() {}

    /** A payload of so many bytes. */
    public static Payload payload(long size) {
        return Payload.of(new byte[Math.toIntExact(size)], "application/octet-stream");
    }

    /** A text that takes exactly as many bytes in UTF-8 as a limit allows. */
    public static String longest(Limit limit) {
        return "x".repeat((int) limit.max());
    }

    /** A text that takes one byte more than a limit allows. */
    public static String tooLong(Limit limit) {
        return longest(limit) + "x";
    }
}
