package io.flowfabric.engine;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** A time that passes only while one thread waits in it, and keeps how long that was to wait. */
public final class WaitedTime implements Time {
    /** Not zero: a calculation that forgets when it began would be right there. */
    private static final Duration BEGINNING = Duration.ofSeconds(7);

    /** Whoever waits more often would do so for ever. */
    private static final int MOST = 100;

    private final Duration longest;
    private final List<Duration> waits = new ArrayList<>();
    private long now = BEGINNING.toNanos();

    public WaitedTime() {
        this(Duration.ofDays(1));
    }

    /**
     * @param longest after how long whoever waits is woken, although nothing has happened
     */
    public WaitedTime(Duration longest) {
        this.longest = longest;
    }

    /** How long each wait was to last. */
    public List<Duration> waits() {
        return waits;
    }

    @Override
    public Instant instant() {
        return Instant.ofEpochSecond(0, now);
    }

    @Override
    public long nanos() {
        return now;
    }

    @Override
    public void park(long nanos) {
        if (nanos <= 0 || waits.size() == MOST) {
            throw new AssertionError("a wait without end, of %d ns now".formatted(nanos));
        }
        waits.add(Duration.ofNanos(nanos));
        now += Math.min(nanos, longest.toNanos());
    }

    @Override
    public long jitter(long most) {
        return 0;
    }
}
