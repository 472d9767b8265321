package io.flowfabric.postgres.internal.feed;

import io.flowfabric.core.FlowFabricException;
import io.flowfabric.postgres.internal.PostgresContext;

import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

import java.util.concurrent.atomic.AtomicLong;

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
    private static final int BEFORE_READING = 8;

    private final PostgresContext postgres;

    /** The highest event when some were made last. */
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

    /** Makes some of those that are missing, if the log has grown enough to miss any. */
    public void make() {
        long before = made.get();
        long now = last.get();
        if (now - before >= EVENTS && made.compareAndSet(before, now)) {
            make(BEFORE_READING);
        }
    }

    /** Makes all that are missing. */
    public void makeAll() {
        make(Integer.MAX_VALUE);
    }

    private void make(int statements) {
        try {
            for (int i = 0; i < statements; i++) {
                int ranges =
                        postgres.db()
                                .query("summarise_events")
                                .set("most", AT_ONCE)
                                .one(row -> row.intValue("made"));
                if (ranges < AT_ONCE) {
                    return;
                }
            }
        } catch (FlowFabricException e) {
            log.debug("No summaries of the log were made", e);
        }
    }
}
