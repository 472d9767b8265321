package io.flowfabric.core.lease;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.core.signal.Suspension;

import java.util.Objects;

/** How the holder of a lease gives it up. */
public sealed interface Ending {
    /** The fence of the lease that ends. */
    Fence fence();

    /** How large it is, roughly, where that can be much: its result, or the trace of a failure. */
    default long bytes() {
        return 0;
    }

    /** The fingerprint by which a repeat is told from a contradiction. */
    Digest digest();

    /** The work is done. */
    record Complete(Fence fence, Payload result) implements Ending {
        public Complete {
            Objects.requireNonNull(fence, "fence");
            Objects.requireNonNull(result, "result");
            Limit.RESULT_BYTES.checkSize("result", result.size(), "bytes");
        }

        @Override
        public long bytes() {
            return result.size();
        }

        @Override
        public Digest digest() {
            return Digest.of("complete").payload(result).done();
        }
    }

    /**
     * The attempt failed; the verdict, decided beside the store by the retry policy, says what
     * follows.
     */
    record Fail(Fence fence, Failure failure, RetryDecision verdict) implements Ending {
        public Fail {
            Objects.requireNonNull(fence, "fence");
            Objects.requireNonNull(failure, "failure");
            Objects.requireNonNull(verdict, "verdict");
        }

        @Override
        public long bytes() {
            return failure.detail().length();
        }

        @Override
        public Digest digest() {
            var digest =
                    Digest.of("fail")
                            .text(failure.category())
                            .text(failure.message())
                            .text(failure.detail());
            return switch (verdict) {
                case RetryDecision.GiveUp() -> digest.number(-1).done();
                case RetryDecision.TryAgain(var delay) -> digest.number(delay.toMillis()).done();
            };
        }
    }

    /** The worker calls its own work off. */
    record Cancel(Fence fence, String reason) implements Ending {
        public Cancel {
            Objects.requireNonNull(fence, "fence");
            Objects.requireNonNull(reason, "reason");
            reason = Text.mended(reason, Limit.MESSAGE_BYTES);
        }

        @Override
        public Digest digest() {
            return Digest.of("cancel").text(reason).done();
        }
    }

    /** The worker lets go of it until a moment; the attempt goes on then. */
    record Delay(Fence fence, Due until) implements Ending {
        public Delay {
            Objects.requireNonNull(fence, "fence");
            Objects.requireNonNull(until, "until");
        }

        @Override
        public Digest digest() {
            var digest = Digest.of("delay");
            until.digest(digest);
            return digest.done();
        }
    }

    /** The worker lets go of it unharmed; the attempt goes on at once, elsewhere. */
    record Release(Fence fence) implements Ending {
        public Release {
            Objects.requireNonNull(fence, "fence");
        }

        @Override
        public Digest digest() {
            return Digest.of("release").done();
        }
    }

    /** The worker lets go of it until something happens; the attempt goes on then. */
    record Suspend(Fence fence, Suspension suspension) implements Ending {
        public Suspend {
            Objects.requireNonNull(fence, "fence");
            Objects.requireNonNull(suspension, "suspension");
        }

        @Override
        public Digest digest() {
            var digest = Digest.of("suspend");
            suspension.digest(digest);
            return digest.done();
        }
    }

    /** The worker lets go of it until a flow below it has ended; the attempt goes on then. */
    record Await(Fence fence, FlowId flow) implements Ending {
        public Await {
            Objects.requireNonNull(fence, "fence");
            Objects.requireNonNull(flow, "flow");
        }

        @Override
        public Digest digest() {
            return Digest.of("await").text(flow.toString()).done();
        }
    }
}
