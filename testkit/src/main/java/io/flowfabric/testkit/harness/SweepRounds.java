package io.flowfabric.testkit.harness;

import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Round;
import io.flowfabric.core.store.Store;
import io.flowfabric.testkit.harness.Difference.Kind;

import java.util.List;

/**
 * A chore, done until nothing is due.
 *
 * @param processed in all rounds together
 * @param errors of the last round: what cannot be read is passed over in each
 */
record SweepRounds(int processed, int errors) {
    private static final int MOST = 100_000;

    static SweepRounds of(Store store, Chore chore, int limit) {
        int processed = 0;
        for (int count = 0; count < MOST; count++) {
            Round round = store.maintenance().tick(chore, limit);
            if (round.processed() > limit) {
                throw new Difference.Found(
                        Kind.CHORE,
                        chore.name(),
                        List.of("a round of %d did %s".formatted(limit, round)));
            }
            processed += round.processed();
            if (!round.more()) {
                return new SweepRounds(processed, round.errors());
            }
        }
        throw new Difference.Found(
                Kind.CHORE,
                chore.name(),
                List.of("there was still more after %d rounds of %d".formatted(MOST, limit)));
    }
}
