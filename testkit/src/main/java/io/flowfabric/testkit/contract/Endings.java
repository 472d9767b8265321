package io.flowfabric.testkit.contract;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Suspension;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;
import java.util.stream.Stream;

/** The ways to give up a lease, each in its ordinary form. */
final class Endings {
    static final Payload RESULT = Payload.text("result");
    static final Failure FAILURE = Failure.of(Failure.TRANSIENT, "the printer is on fire");

    private static final Duration A_WHILE = Duration.ofMinutes(1);

    /** A wait for a signal that does not end by itself. */
    static final Suspension UNTIL_APPROVED = Suspension.until("approval", Condition.signal("boss"));

    /** One of each kind. */
    static final List<Function<Fence, Ending>> EVERY_KIND =
            List.of(
                    fence -> new Ending.Complete(fence, RESULT),
                    fence -> new Ending.Fail(fence, FAILURE, RetryDecision.GIVE_UP),
                    fence -> new Ending.Fail(fence, FAILURE, new RetryDecision.TryAgain(A_WHILE)),
                    fence -> new Ending.Cancel(fence, "no longer wanted"),
                    fence -> new Ending.Delay(fence, Due.in(A_WHILE)),
                    fence -> new Ending.Suspend(fence, UNTIL_APPROVED),
                    Ending.Release::new);

    /** The kinds whose content can differ, each with another content than above. */
    static final List<Function<Fence, Ending>> OTHER_CONTENT =
            List.of(
                    fence -> new Ending.Complete(fence, Payload.text("another result")),
                    fence -> new Ending.Complete(fence, Payload.of(RESULT.bytes(), "text/html")),
                    fence -> new Ending.Fail(fence, otherFailure(), RetryDecision.GIVE_UP),
                    fence ->
                            new Ending.Fail(
                                    fence, FAILURE, new RetryDecision.TryAgain(Duration.ZERO)),
                    fence -> new Ending.Cancel(fence, "a change of mind"),
                    fence -> new Ending.Delay(fence, Due.NOW),
                    fence -> new Ending.Suspend(fence, Suspension.untilResumed("approval")));

    private Endings() {}

    static Ending complete(Lease lease) {
        return new Ending.Complete(lease.fence(), RESULT);
    }

    static Ending complete(Lease lease, Payload result) {
        return new Ending.Complete(lease.fence(), result);
    }

    static Ending fail(Lease lease) {
        return new Ending.Fail(lease.fence(), FAILURE, RetryDecision.GIVE_UP);
    }

    /** Fails, with what the policy of the work decides about it. */
    static Ending fail(Lease lease, Failure failure) {
        var verdict =
                lease.policy().retry().decide(Given.idOf(lease), failure, lease.retriesUsed());
        return new Ending.Fail(lease.fence(), failure, verdict);
    }

    static Ending retry(Lease lease, Duration delay) {
        return new Ending.Fail(lease.fence(), FAILURE, new RetryDecision.TryAgain(delay));
    }

    static Ending cancel(Lease lease) {
        return new Ending.Cancel(lease.fence(), "no longer wanted");
    }

    static Ending delay(Lease lease, Due until) {
        return new Ending.Delay(lease.fence(), until);
    }

    static Ending delay(Lease lease, Duration wait) {
        return delay(lease, Due.in(wait));
    }

    static Ending suspend(Lease lease, Suspension suspension) {
        return new Ending.Suspend(lease.fence(), suspension);
    }

    static Ending release(Lease lease) {
        return new Ending.Release(lease.fence());
    }

    /** Everything that could be tried with a fence. */
    static List<Ending> everyEnding(Fence fence) {
        return Stream.concat(EVERY_KIND.stream(), OTHER_CONTENT.stream())
                .map(kind -> kind.apply(fence))
                .toList();
    }

    private static Failure otherFailure() {
        return Failure.of(FAILURE.category(), "the printer has drowned");
    }
}
