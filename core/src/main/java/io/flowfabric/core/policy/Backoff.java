package io.flowfabric.core.policy;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Invalid;

import java.time.Duration;

/** How long to wait before a retry, by how many there were. */
public sealed interface Backoff {
    /** One second, doubling, at most a minute. */
    Backoff DEFAULT = new Exponential(Duration.ofSeconds(1), Duration.ofMinutes(1), 2.0);

    /** The same wait each time. */
    static Backoff fixed(Duration delay) {
        return new Fixed(delay);
    }

    /** A wait that grows by a factor each time, up to a longest one. */
    static Backoff exponential(Duration initial, Duration longest, double multiplier) {
        return new Exponential(initial, longest, multiplier);
    }

    /** Adds what it says to the digest of a request. */
    void digest(Digest.Builder digest);

    /** The wait before the retry that comes after this many retries, without jitter. */
    Duration delay(int retriesUsed);

    /** One delay, before every retry. */
    record Fixed(Duration delay) implements Backoff {
        public Fixed {
            delay = Durations.checked("backoff delay", 0, delay);
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("fixed").number(delay.toMillis());
        }

        @Override
        public Duration delay(int retriesUsed) {
            return delay;
        }
    }

    /** A delay that grows by a factor with every retry, up to a longest one. */
    record Exponential(Duration initial, Duration longest, double multiplier) implements Backoff {
        private static final double LARGEST_MULTIPLIER = 1000;

        public Exponential {
            initial = Durations.checked("backoff initial", 0, initial);
            longest = Durations.checked("backoff longest", initial.toMillis(), longest);
            if (!(multiplier >= 1 && multiplier <= LARGEST_MULTIPLIER)) {
                throw new Invalid(
                        Invalid.Code.OUT_OF_RANGE,
                        "backoff multiplier",
                        "%s is outside of 1 to 1000.".formatted(multiplier));
            }
        }

        @Override
        public void digest(Digest.Builder digest) {
            digest.text("exponential")
                    .number(initial.toMillis())
                    .number(longest.toMillis())
                    .number(Double.doubleToLongBits(multiplier));
        }

        @Override
        public Duration delay(int retriesUsed) {
            // A power that overflows is infinite, and infinity is capped like everything else.
            double millis = (double) initial.toMillis() * Math.pow(multiplier, retriesUsed);
            return Duration.ofMillis((long) Math.min(millis, (double) longest.toMillis()));
        }
    }
}
