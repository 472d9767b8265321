package io.flowfabric.core.policy;

import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.List;
import java.util.Set;
import java.util.SortedSet;
import java.util.TreeSet;

/**
 * Whether a failed attempt is tried again, and when.
 *
 * @param max how many retries there are, besides the first attempt
 * @param backoff how long to wait before each
 * @param jitter which part of the wait is left to chance, 0 to 1, so that what failed together does
 *     not return together
 * @param categories which failures are worth a retry; none named means all but permanent and
 *     cancelled ones
 */
public record Retry(int max, Backoff backoff, double jitter, SortedSet<String> categories) {
    /** No retries. */
    public static final Retry NEVER =
            new Retry(0, Backoff.DEFAULT, 0, Collections.emptySortedSet());

    /** Three retries, from a second up to a minute apart, half of the wait left to chance. */
    public static final Retry DEFAULT =
            new Retry(3, Backoff.DEFAULT, 0.5, Collections.emptySortedSet());

    private static final Set<String> HOPELESS = Set.of(Failure.PERMANENT, Failure.CANCELLED);

    public Retry {
        Limit.COUNT.checkRange("max retries", 0, max);
        if (!(jitter >= 0 && jitter <= 1)) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "jitter",
                    "%s is outside of 0 to 1.".formatted(jitter));
        }
        Limit.TAGS.checkCount("retry categories", categories.size());
        categories.forEach(category -> Text.name("retry category", category, Limit.NAME_BYTES));
        // As a plain collection: another order than the natural one does not come along.
        categories =
                Collections.unmodifiableSortedSet(new TreeSet<>((Collection<String>) categories));
    }

    /** This many retries, otherwise as the default. */
    public static Retry retries(int max) {
        return new Retry(max, DEFAULT.backoff, DEFAULT.jitter, DEFAULT.categories);
    }

    /** These retries with another wait before each. */
    public Retry backoff(Backoff other) {
        return new Retry(max, other, jitter, categories);
    }

    /** These retries with another part of the wait left to chance, 0 to 1. */
    public Retry jitter(double other) {
        return new Retry(max, backoff, other, categories);
    }

    /** Retries only these categories of failures. */
    public Retry only(String... others) {
        return new Retry(max, backoff, jitter, new TreeSet<>(List.of(others)));
    }

    /**
     * Decides about a failed attempt.
     *
     * <p>The chance in the jitter is drawn from the execution and its retry, so that the same
     * failure, decided again after a lost answer, is decided the same way.
     */
    public RetryDecision decide(ExecutionId execution, Failure failure, int retriesUsed) {
        if (retriesUsed >= max || !worthIt(failure.category())) {
            return RetryDecision.GIVE_UP;
        }
        long longest = backoff.delay(retriesUsed).toMillis();
        double chance = chance(execution, retriesUsed);
        return new RetryDecision.TryAgain(
                Duration.ofMillis(Math.round((double) longest * (1 - jitter * chance))));
    }

    /** Adds all of it to the digest of a submission. */
    void digest(Digest.Builder digest) {
        digest.number(max);
        backoff.digest(digest);
        digest.number(Double.doubleToLongBits(jitter)).number(categories.size());
        categories.forEach(digest::text);
    }

    private boolean worthIt(String category) {
        return categories.isEmpty() ? !HOPELESS.contains(category) : categories.contains(category);
    }

    /**
     * A number from 0 to 1 that looks random from one execution and retry to the next (the
     * finaliser of SplitMix64).
     */
    private static double chance(ExecutionId execution, int retriesUsed) {
        long z =
                execution.uuid().getLeastSignificantBits()
                        ^ execution.uuid().getMostSignificantBits();
        z += 0x9E3779B97F4A7C15L * (retriesUsed + 1L);
        z = (z ^ (z >>> 30)) * 0xBF58476D1CE4E5B9L;
        z = (z ^ (z >>> 27)) * 0x94D049BB133111EBL;
        z ^= z >>> 31;
        return (double) (z >>> 11) * 0x1p-53;
    }
}
