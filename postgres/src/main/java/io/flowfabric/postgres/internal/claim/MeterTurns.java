package io.flowfabric.postgres.internal.claim;

import io.flowfabric.core.Contended;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.postgres.DatabaseOptions;

import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Lets claims of work that counts against something take half of the connections of this process
 * (one, where there is one), and no more: the others wait here, in the order in which they came.
 *
 * <p>All claims that count against one meter wait for its row, one after the other, each with a
 * connection and with the choice that it made before it waited. With all connections in that line,
 * none would be left to end work, which is what makes room.
 */
final class MeterTurns {
    private static final Duration RETRY_AFTER = Duration.ofMillis(100);

    private final Semaphore free;
    private final Duration patience;

    MeterTurns(DatabaseOptions options) {
        this.free = new Semaphore(Math.max(1, options.connections() / 2), true);
        this.patience = options.acquireTimeout();
    }

    /**
     * Makes a claim when it is its turn.
     *
     * @throws Contended when that took as long as a call waits for a connection
     */
    <T> T take(Supplier<T> claim) {
        if (!await()) {
            throw new Contended("quotas and budgets that many claims count against", RETRY_AFTER);
        }
        try {
            return claim.get();
        } finally {
            free.release();
        }
    }

    private boolean await() {
        try {
            return free.tryAcquire(patience.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new StoreFailure(
                    "The thread was interrupted while it waited for its turn to claim.", false, e);
        }
    }
}
