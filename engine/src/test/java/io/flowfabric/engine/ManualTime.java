package io.flowfabric.engine;

import io.flowfabric.testkit.VirtualClock;

import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.LockSupport;
import java.util.function.LongUnaryOperator;

/** A time that stands still until a test moves it. Whoever waits in it really waits. */
public final class ManualTime implements Time {
    private static final long SHORTEST_STEP = Duration.ofMillis(1).toNanos();
    private static final long LONGEST_STEP = Duration.ofMillis(100).toNanos();
    private static final long BREATH = Duration.ofMillis(1).toNanos();

    private record Sleep(long until) {}

    private final VirtualClock clock = new VirtualClock();
    private final Map<Thread, Sleep> sleepers = new ConcurrentHashMap<>();
    private final Map<String, Integer> waits = new ConcurrentHashMap<>();
    private final Set<Thread> known = ConcurrentHashMap.newKeySet();
    private volatile LongUnaryOperator jitter = most -> 0;

    @Override
    public Instant instant() {
        return clock.instant();
    }

    @Override
    public long nanos() {
        return Duration.between(VirtualClock.MORNING, clock.instant()).toNanos();
    }

    @Override
    public void park(long nanos) {
        var sleep = new Sleep(nanos() + nanos);
        known.add(Thread.currentThread());
        waits.merge(Thread.currentThread().getName(), 1, Integer::sum);
        sleepers.put(Thread.currentThread(), sleep);
        try {
            // Looked at after it was put in: whoever moves the time does it the other way round.
            if (nanos() < sleep.until) {
                LockSupport.park(this);
            }
        } finally {
            sleepers.remove(Thread.currentThread(), sleep);
        }
    }

    @Override
    public long jitter(long most) {
        return jitter.applyAsLong(most);
    }

    /** Lets a test say how much longer than they must all of them wait; not at all by default. */
    public void spreadBy(LongUnaryOperator chosen) {
        jitter = chosen;
    }

    /** Lets time pass in small steps, each long enough for those that it wakes. */
    public void pass(Duration total) {
        long until = nanos() + total.toNanos();
        for (long left = total.toNanos(); left > 0; left = until - nanos()) {
            step(left);
        }
    }

    /** Lets much time pass at once, as for a machine that was asleep. */
    public void skip(Duration much) {
        clock.advance(much);
        sleepers.keySet().forEach(LockSupport::unpark);
    }

    /** Lets some time pass: until somebody waits no longer, or a small step. */
    public void step() {
        step(LONGEST_STEP);
    }

    private void step(long most) {
        long before = nanos();
        long nearest = LONGEST_STEP;
        for (var sleep : sleepers.values()) {
            nearest = Math.min(nearest, Math.max(SHORTEST_STEP, sleep.until - before));
        }
        clock.advance(Duration.ofNanos(Math.min(nearest, most)));
        long now = nanos();
        sleepers.forEach(
                (thread, sleep) -> {
                    if (sleep.until <= now) {
                        LockSupport.unpark(thread);
                    }
                });
        known.removeIf(thread -> !thread.isAlive());
        known.forEach(thread -> settle(thread, now));
        // For those that have not waited here yet: nobody knows that they are about to.
        LockSupport.parkNanos(BREATH);
    }

    /** How many threads of a name wait for time to pass. */
    public long waiting(String name) {
        return sleepers.keySet().stream().filter(thread -> thread.getName().equals(name)).count();
    }

    /** How often threads of a name have begun to wait. */
    public int waits(String name) {
        return waits.getOrDefault(name, 0);
    }

    /** Waits until somebody who is not busy waits again, in this time or for something else. */
    private void settle(Thread thread, long now) {
        long patience = System.nanoTime() + Duration.ofSeconds(5).toNanos();
        int elsewhere = 0;
        while (System.nanoTime() < patience && thread.isAlive() && elsewhere < 3) {
            var sleep = sleepers.get(thread);
            boolean waits = sleep != null && sleep.until > now;
            if (waits || thread.equals(Thread.currentThread())) {
                return;
            }
            boolean busy = sleep != null || thread.getState() == Thread.State.RUNNABLE;
            elsewhere = busy ? 0 : elsewhere + 1;
            LockSupport.parkNanos(busy ? 20_000 : 300_000);
        }
    }
}
