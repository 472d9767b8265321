package io.flowfabric.core.policy;

import java.time.Duration;

/** What a retry policy decides about a failed attempt. */
public sealed interface RetryDecision {
    /** The one decision to give up. */
    RetryDecision GIVE_UP = new GiveUp();

    /** The execution fails. */
    record GiveUp() implements RetryDecision {}

    /** There will be another attempt, after a wait. */
    record TryAgain(Duration delay) implements RetryDecision {
        public TryAgain {
            delay = Durations.checked("retry delay", 0, delay);
        }
    }
}
