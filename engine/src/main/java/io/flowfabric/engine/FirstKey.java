package io.flowfabric.engine;

import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.policy.Backoff;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.List;

/**
 * Sees to it that there is a key to sign with. An engine starts also while its store cannot be
 * reached, so this goes on beside it until it was done; a call that needs the key earlier makes it
 * itself.
 */
final class FirstKey extends Service {
    private static final Logger LOG = QuietLogger.of(FirstKey.class);

    private static final Backoff AFTER_FAILURE =
            Backoff.exponential(Duration.ofMillis(100), Duration.ofMinutes(1), 2);

    private final Keys keys;
    private final OutageLog trouble;
    private final Loop loop;
    private volatile boolean there;

    FirstKey(Keys keys, Time time) {
        this(keys, time, LOG);
    }

    FirstKey(Keys keys, Time time, Logger log) {
        this.keys = keys;
        this.trouble = new OutageLog(log, time, "The looks for a key to sign with");
        this.loop = new Loop("ff-first-key", time, this::turn, AFTER_FAILURE, trouble::failed);
    }

    /** Makes the first key, unless it is known that there is one. */
    void ensure() {
        if (!there) {
            var unused = keys.first();
            there = true;
        }
    }

    private long turn() {
        ensure();
        trouble.worked();
        return Long.MAX_VALUE;
    }

    @Override
    protected void begin() {
        loop.start();
    }

    @Override
    protected void end() {
        loop.stop();
    }

    @Override
    protected long rested() {
        return rested(List.of(loop));
    }

    @Override
    public String toString() {
        return "The first key";
    }
}
