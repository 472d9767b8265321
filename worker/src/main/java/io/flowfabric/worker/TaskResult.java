package io.flowfabric.worker;

import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Due;

/** How a handler ends its work when nothing failed. */
public sealed interface TaskResult {
    /** The work is done. */
    record Complete(Payload result) implements TaskResult {}

    /** It is not time yet: the same attempt goes on, from the top, at a moment. */
    record Delay(Due until) implements TaskResult {}

    /** Not here: the same attempt goes on at once, with the worker that claims it. */
    record Release() implements TaskResult {}

    /** The work is called off. */
    record Cancel(String reason) implements TaskResult {}

    static TaskResult complete(Payload result) {
        return new Complete(result);
    }

    static TaskResult delay(Due until) {
        return new Delay(until);
    }

    static TaskResult release() {
        return new Release();
    }

    static TaskResult cancel(String reason) {
        return new Cancel(reason);
    }
}
