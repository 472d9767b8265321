package io.flowfabric.worker;

import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Due;

/** How a handler ends its work when nothing failed. */
public sealed interface Outcome {
    /** The work is done. */
    record Complete(Payload result) implements Outcome {}

    /** It is not time yet: the same attempt goes on, from the top, at a moment. */
    record Delay(Due until) implements Outcome {}

    /** Not here: the same attempt goes on at once, with whoever claims it. */
    record Release() implements Outcome {}

    /** The work is called off. */
    record Cancel(String reason) implements Outcome {}

    static Outcome complete(Payload result) {
        return new Complete(result);
    }

    static Outcome delay(Due until) {
        return new Delay(until);
    }

    static Outcome release() {
        return new Release();
    }

    static Outcome cancel(String reason) {
        return new Cancel(reason);
    }
}
