package io.flowfabric.worker;

import io.flowfabric.core.FlowId;
import io.flowfabric.core.Payload;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.signal.Suspension;

/** How a handler ends its work when nothing failed. */
public sealed interface TaskResult {
    /** The work is done. */
    record Complete(Payload result) implements TaskResult {}

    /** It is not time yet: the same attempt goes on, from the top, at a moment. */
    record Delay(Due until) implements TaskResult {}

    /** Something is to happen first: the same attempt goes on, from the top, when it has. */
    record Suspend(Suspension suspension) implements TaskResult {}

    /** A flow below it is to end first: the same attempt goes on, from the top, when it has. */
    record Await(FlowId flow) implements TaskResult {}

    /** Not here: the same attempt goes on at once, with the worker that claims it. */
    record Release() implements TaskResult {}

    /** The work is called off. */
    record Cancel(String reason) implements TaskResult {}

    /** The work is done, with this result. */
    static TaskResult complete(Payload result) {
        return new Complete(result);
    }

    /**
     * The attempt goes on, from the top, at that moment. It holds no slot and no lease until then.
     */
    static TaskResult delay(Due until) {
        return new Delay(until);
    }

    /**
     * The attempt goes on, from the top, when a signal, an operator or the end of its time says so;
     * a step of the name of the suspension then says why. It holds no slot and no lease until then.
     */
    static TaskResult suspend(Suspension suspension) {
        return new Suspend(suspension);
    }

    /**
     * The attempt goes on, from the top, when a flow has ended that was submitted below this work
     * ({@code FlowSubmission.below}), however it has. It holds no slot and no lease until then, and
     * if it ends meanwhile the flow is cancelled.
     */
    static TaskResult await(FlowId flow) {
        return new Await(flow);
    }

    /** The work goes back to its queue at once, under the same attempt. */
    static TaskResult release() {
        return new Release();
    }

    /**
     * The work is called off, and ends as cancelled.
     *
     * @param reason in words, for the history
     */
    static TaskResult cancel(String reason) {
        return new Cancel(reason);
    }
}
