package io.flowfabric.core;

import java.security.SecureRandom;
import java.time.InstantSource;
import java.util.UUID;
import java.util.random.RandomGenerator;

/**
 * Where new ids come from: UUIDv7 that never repeat and never go backwards within one source, even
 * when the clock does.
 *
 * <p>48 bits of milliseconds, 12 bits that count up within one, then random bits; the last byte is
 * the partition.
 */
public final class IdSource {
    /** The source of this process. */
    public static final IdSource SYSTEM = new IdSource(InstantSource.system(), new SecureRandom());

    private static final int COUNTER_LIMIT = 1 << 12;
    private static final long VERSION_7 = 0x7000L;
    private static final long VARIANT = 0x8000_0000_0000_0000L;

    private final InstantSource clock;
    private final RandomGenerator random;
    private long lastMillis;
    private int counter;

    /** A source of ids with a clock and chance of its own, for tests. */
    public IdSource(InstantSource clock, RandomGenerator random) {
        this.clock = clock;
        this.random = random;
    }

    /** A new execution id in the given partition. */
    public ExecutionId execution(Partition partition) {
        return ExecutionId.stamped(uuid(), partition);
    }

    /** A new UUIDv7. */
    public synchronized UUID uuid() {
        long millis = clock.millis();
        if (millis > lastMillis) {
            lastMillis = millis;
            // The lower half leaves room to count up within the millisecond.
            counter = random.nextInt(COUNTER_LIMIT / 2);
        } else if (++counter == COUNTER_LIMIT) {
            // Borrowing the next millisecond keeps the order; the clock catches up.
            lastMillis++;
            counter = 0;
        }
        long most = (lastMillis << 16) | VERSION_7 | counter;
        long least = VARIANT | (random.nextLong() >>> 2);
        return new UUID(most, least);
    }
}
