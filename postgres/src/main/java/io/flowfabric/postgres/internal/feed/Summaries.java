package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.postgres.internal.PostgresContext;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;

/**
 * The summaries by which the log is read: of each few pages the lowest and the highest event.
 *
 * <p>Events are written without them, which is what makes writing cheap, and what has none is read
 * whole by every look. So readers make them as the log grows, and retention does where no feed is
 * read. Without them everything works, only slower: that they cannot be made is no failure.
 */
public final class Summaries {
    private static final Logger log = LoggerFactory.getLogger(Summaries.class);

    /** About how many events share a summary. */
    private static final int EVENTS = 2000;

    /** How many are made in one statement. */
    private static final int AT_ONCE = 32;

    /** How many statements a reader waits for at most before it reads. */
    private static final int BEFORE_READING = 4;

    private final PostgresContext postgres;
    private final ReentrantLock making = new ReentrantLock();

    /** The highest event when all were made last. */
    private final AtomicLong made = new AtomicLong(-EVENTS);

    /** The highest event that was heard of. */
    private final AtomicLong last = new AtomicLong();

    public Summaries(PostgresContext postgres) {
        this.postgres = postgres;
    }

    /** Hears how far the log goes. */
    public void heardOf(long event) {
        last.accumulateAndGet(event, Math::max);
    }

    /**
     * Makes some of those that are missing, if the log has grown enough to miss any. Says whether
     * that was all: where many are missing, a look would take long, and the reader has to come back
     * for the rest of them first. Readers of one process wait for each other.
     */
    public boolean make() {
        if (!missing()) {
            return true;
        }
        making.lock();
        try {
            long now = last.get();
            boolean all = !missing() || make(BEFORE_READING);
            if (all) {
                made.accumulateAndGet(now, Math::max);
            }
            return all;
        } finally {
            making.unlock();
        }
    }

    /** Makes all that are missing. */
    public void makeAll() {
        make(Integer.MAX_VALUE);
    }

    private boolean missing() {
        return last.get() - made.get() >= EVENTS;
    }

    /** Runs so many statements at most, and says whether nothing is left for another one. */
    private boolean make(int statements) {
        try {
            for (int i = 0; i < statements; i++) {
                int ranges =
                        postgres.db()
                                .query("summarise_events")
                                .set("most", AT_ONCE)
                                .one(row -> row.intValue("made"));
                if (ranges < AT_ONCE) {
                    return true;
                }
            }
            return false;
        } catch (FlowFabricException e) {
            log.debug("No summaries of the log were made", e);
            return true;
        }
    }
}
