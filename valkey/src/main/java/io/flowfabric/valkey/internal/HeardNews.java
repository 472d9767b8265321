package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.core.StoreFailure;

import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.LongFunction;

/**
 * What this process must have heard of before a partition takes work that is looked for elsewhere:
 * which namespaces are spread, and how often leftovers of that partition were removed. A partition
 * that knows more does nothing and says so; then everything is done again.
 */
final class HeardNews {
    /** So often something may be removed meanwhile. */
    private static final int ATTEMPTS = 8;

    private final ValkeyContext valkey;

    /** As each partition has told last. */
    private final Map<Partition, Long> removals = new ConcurrentHashMap<>();

    HeardNews(ValkeyContext valkey) {
        this.valkey = valkey;
    }

    /**
     * Does something that begins by making work findable, and ends by storing it.
     *
     * @param attempt given how many removals this process has heard of before that
     * @return nothing when there were others each time
     */
    <T> Optional<T> asHeard(Partition home, LongFunction<T> attempt) {
        boolean read = false;
        for (int n = 0; n < ATTEMPTS; n++) {
            try {
                return Optional.of(attempt.apply(removals.getOrDefault(home, 0L)));
            } catch (UnheardSpread unheard) {
                if (read) {
                    throw new StoreFailure(
                            "A namespace was spread, and it is not known yet which.",
                            false,
                            unheard);
                }
                valkey.spreads().mustReadAgain();
                read = true;
            } catch (UnheardRemoval unheard) {
                removals.put(home, unheard.removals());
            }
        }
        return Optional.empty();
    }
}
