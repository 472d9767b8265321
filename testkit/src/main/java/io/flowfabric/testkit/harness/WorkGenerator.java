package io.flowfabric.testkit.harness;

import io.flowfabric.core.Failure;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.policy.Retry;
import io.flowfabric.core.submit.KeyUse;

import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/** Thinks of work, with every policy that means something. */
final class WorkGenerator {
    private static final int KEYS = 6;

    private WorkGenerator() {}

    static HarnessWork work(Draw draw, long number) {
        return new HarnessWork(
                number,
                draw.chance(20),
                draw.one(Vocabulary.LANES),
                draw.one(Vocabulary.KINDS),
                "input " + draw.below(3),
                draw.chance(20) ? Optional.of("key-" + draw.below(KEYS)) : Optional.empty(),
                draw.one(KeyUse.values()),
                draw.chance(40) ? Optional.of(draw.one(Vocabulary.COLOURS)) : Optional.empty(),
                policy(draw),
                draw.chance(75) ? new Wait.After(Duration.ZERO) : wait(draw),
                draw.chance(15) ? Optional.of(wait(draw)) : Optional.empty());
    }

    /** A moment that is soon, later, or has passed. */
    static Wait wait(Draw draw) {
        return draw.chance(70)
                ? new Wait.After(Duration.ofMillis(draw.one(0, 100, 200, 2_000, 30_000)))
                : new Wait.FromStart(Duration.ofMillis(draw.one(0, 500, 5_000, 60_000, 300_000)));
    }

    private static Policy policy(Draw draw) {
        var policy =
                Policy.DEFAULT
                        .priority(draw.one(0, 0, 0, 1, 5, 9000))
                        .retry(retry(draw))
                        .needs(draw.chance(25) ? draw.one(Vocabulary.NEEDS) : Capabilities.NONE)
                        .maxReclaims(draw.one(0, 1, 2, 100))
                        .maxReplays(draw.one(0, 1, 10, 10));
        if (draw.chance(20)) {
            policy =
                    policy.budget(
                            draw.one(Vocabulary.BUDGETS),
                            draw.chance(50)
                                    ? Map.of()
                                    : Map.of(Vocabulary.TOKENS, (long) draw.one(0, 3, 20)));
        }
        while (draw.chance(25)) {
            policy = counted(policy, draw.one(Vocabulary.QUOTAS));
        }
        if (draw.chance(50)) {
            policy = policy.share(draw.one(Vocabulary.SHARES));
        }
        if (draw.chance(30)) {
            policy = policy.retention(Duration.ofMillis(draw.one(0, 1_000, 60_000)));
        }
        if (draw.chance(15)) {
            policy = policy.attemptTimeout(Duration.ofMillis(draw.one(1, 300, 5_000)));
        }
        if (draw.chance(25)) {
            policy = policy.stallTimeout(Duration.ofMillis(draw.one(1, 400, 2_000, 5_000)));
        }
        return policy;
    }

    private static Policy counted(Policy policy, QuotaUse use) {
        return use.key()
                .map(key -> policy.quota(use.quota(), key))
                .orElseGet(() -> policy.quota(use.quota()));
    }

    private static Retry retry(Draw draw) {
        return switch (draw.below(6)) {
            case 0 -> Retry.NEVER;
            case 1 -> Retry.retries(1).backoff(Backoff.fixed(Duration.ZERO));
            case 2 -> Retry.retries(3).backoff(Backoff.fixed(Duration.ofSeconds(1))).jitter(0);
            case 3 ->
                    Retry.retries(5)
                            .backoff(
                                    Backoff.exponential(
                                            Duration.ofMillis(100), Duration.ofSeconds(5), 3))
                            .jitter(1);
            case 4 -> Retry.DEFAULT.only(Failure.TRANSIENT, Failure.TIMEOUT);
            default -> Retry.DEFAULT;
        };
    }
}
