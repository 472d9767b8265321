package io.flowfabric.postgres;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;

import java.time.Duration;
import java.util.Random;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;

/** One life of a reader, in a store of its own: it begins where the ledger says, and is killed. */
final class FeedReading implements Runnable {
    private static final FeedFilter EVERYTHING = FeedFilter.of(FeedFilter.Topic.EVERYTHING);
    private static final Duration PAUSE = Duration.ofMillis(5);

    private final DatabaseOptions options;
    private final SchemaName schema;
    private final FeedLedger ledger;
    private final Random random;
    private final AtomicInteger failures = new AtomicInteger();
    private volatile boolean begun;
    private volatile boolean killed;

    FeedReading(DatabaseOptions options, SchemaName schema, FeedLedger ledger, long seed) {
        this.options = options;
        this.schema = schema;
        this.ledger = ledger;
        this.random = new Random(seed);
    }

    /** Nothing is done any more after the step that is under way. */
    void kill() {
        killed = true;
    }

    /** Whether it has read a first time. */
    boolean hasBegun() {
        return begun;
    }

    /** How often it had to ask again. */
    int failures() {
        return failures.get();
    }

    @Override
    public void run() {
        try (var store = PostgresStore.open(options, schema)) {
            var cursor = ledger.saved();
            while (!killed) {
                cursor = step(store.feeds(), cursor);
                begun = true;
            }
        }
    }

    private Cursor step(Feeds feeds, Cursor cursor) {
        Feeds.Batch batch;
        try {
            batch = feeds.read(EVERYTHING, cursor, 1 + random.nextInt(60));
        } catch (FlowFabricException e) {
            failures.incrementAndGet();
            return cursor;
        }
        for (var entry : batch.entries()) {
            if (killed) {
                return cursor;
            }
            ledger.told(entry);
            if (!killed && random.nextInt(8) == 0) {
                ledger.save(entry.cursor());
            }
        }
        if (!killed && (batch.entries().isEmpty() || random.nextInt(4) == 0)) {
            ledger.save(batch.next());
        }
        if (!batch.more()) {
            LockSupport.parkNanos(PAUSE.toNanos());
        }
        return batch.next();
    }
}
