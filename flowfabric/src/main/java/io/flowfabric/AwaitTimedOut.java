package io.flowfabric;

import java.time.Duration;

/** Thrown to a caller that awaited the end of something which has not ended in that time. */
public final class AwaitTimedOut extends RuntimeException {
    private static final long serialVersionUID = 1L;

    AwaitTimedOut(Object awaited, Duration timeout, String state) {
        super(
                "%s has not ended within %s; it is %s. Await it again, or ask explain(id) what it waits for."
                        .formatted(awaited, timeout, state));
    }
}
