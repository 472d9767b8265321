package io.flowfabric.core.policy;

import java.time.Duration;

/** What a retry policy decides about a failed attempt. */
public sealed interface Verdict {
    Verdict GIVE_UP = new GiveUp();

    /** The execution fails. */
    record GiveUp() implements Verdict {}

    /** There will be another attempt, after a wait. */
    record TryAgain(Duration delay) implements Verdict {
        public TryAgain {
            delay = Durations.checked("retry delay", 0, delay);
        }
    }
}
