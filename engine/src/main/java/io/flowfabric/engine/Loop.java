package io.flowfabric.engine;

import io.flowfabric.core.policy.Backoff;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Consumer;

/** One thread that takes turns, and waits between them. A turn that fails is not the last one. */
final class Loop extends Service {
    /** How long a turn under way may last before it is interrupted, and again before it is left. */
    private static final Duration PATIENCE = Duration.ofSeconds(5);

    /** The shortest time between two turns, however much hurry there is. */
    static final Duration FLOOR = Duration.ofMillis(10);

    private static final long LONGEST_WAIT = Duration.ofDays(1).toNanos();

    /** One turn. Returns how many nanoseconds later the next one is due. */
    interface Turn {
        long take();
    }

    /** A pause between two turns: when it began, and how long it lasts unless it is hurried. */
    private record Pause(long began, long length) {}

    private final String name;
    private final Time time;
    private final Turn turn;
    private final Backoff backoff;
    private final Consumer<Throwable> trouble;
    private final Duration patience;
    private volatile boolean stopping;
    private volatile boolean hurried;
    private final AtomicLong turns = new AtomicLong();
    private volatile @Nullable Pause pause;
    private volatile @Nullable Thread thread;

    /**
     * @param backoff how long to wait after a turn that failed
     * @param trouble hears of each turn that failed
     */
    Loop(String name, Time time, Turn turn, Backoff backoff, Consumer<Throwable> trouble) {
        this(name, time, turn, backoff, trouble, PATIENCE);
    }

    Loop(
            String name,
            Time time,
            Turn turn,
            Backoff backoff,
            Consumer<Throwable> trouble,
            Duration patience) {
        this.name = name;
        this.time = time;
        this.turn = turn;
        this.backoff = backoff;
        this.trouble = trouble;
        this.patience = patience;
    }

    /**
     * Makes the next turn due now, or {@link #FLOOR} after the last one. One that is under way is
     * followed by another.
     */
    void hurry() {
        hurried = true;
        LockSupport.unpark(thread);
    }

    @Override
    protected void begin() {
        thread = daemon(name, this::run);
    }

    @Override
    protected void end() {
        stopping = true;
        var running = thread;
        // A turn may come to the decision to stop its own loop; it cannot wait for itself.
        if (running == null || running.equals(Thread.currentThread())) {
            return;
        }
        LockSupport.unpark(running);
        // Interrupting a call would cost a store its connection, so that comes second.
        if (!join(running, patience)) {
            running.interrupt();
            if (!join(running, patience)) {
                trouble.accept(new IllegalStateException(name + " does not end; it is left"));
            }
        }
    }

    private void run() {
        int failures = 0;
        while (!stopping) {
            long wait;
            try {
                wait = turn.take();
                failures = 0;
            } catch (RuntimeException | Error failure) {
                tell(failure);
                wait = time.jittered(backoff.delay(failures++));
            }
            rest(Math.clamp(wait, FLOOR.toNanos(), LONGEST_WAIT));
        }
    }

    private void tell(Throwable failure) {
        try {
            trouble.accept(failure);
        } catch (RuntimeException | Error worse) {
            // A loop that ended here would not be missed by any thread, and is needed by many.
        }
    }

    @Override
    protected long rested() {
        // Read first: a turn that is taken meanwhile makes another number the next time.
        long taken = turns.get();
        var now = pause;
        boolean resting =
                now != null && time.nanos() - now.began < (hurried ? FLOOR.toNanos() : now.length);
        return resting ? taken : BUSY;
    }

    private void rest(long wait) {
        long ended = time.nanos();
        pause = new Pause(ended, wait);
        while (!stopping) {
            long rested = time.nanos() - ended;
            long left = (hurried ? FLOOR.toNanos() : wait) - rested;
            if (left <= 0) {
                break;
            }
            time.park(left);
        }
        turns.incrementAndGet();
        pause = null;
        hurried = false;
    }

    @Override
    public String toString() {
        return name;
    }
}
