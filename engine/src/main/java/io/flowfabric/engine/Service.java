package io.flowfabric.engine;

import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Something that works in the background, with one life.
 *
 * <ul>
 *   <li>{@link #start} returns when it is running, or throws and leaves nothing behind.
 *   <li>{@link #stop} returns when it has ended, and with it every thread that it started. Stopping
 *       again, or stopping what never started, does nothing.
 *   <li>What was stopped is not started again: a program that needs another one makes another one.
 * </ul>
 */
public abstract class Service implements AutoCloseable {
    /** What {@link #turnsAtRest} says of a service that has something to do. */
    public static final long BUSY = -1;

    private enum Stage {
        NEW,
        RUNNING,
        STOPPED
    }

    // Held while starting and stopping, so that a second caller returns when the first one does.
    private final ReentrantLock turn = new ReentrantLock();
    private volatile Stage stage = Stage.NEW;

    /** A service that has not been started. */
    protected Service() {}

    /**
     * Starts it.
     *
     * @throws IllegalStateException when it was started or stopped before
     */
    public final void start() {
        turn.lock();
        try {
            if (stage != Stage.NEW) {
                throw new IllegalStateException(
                        this + " has been started or stopped before; make another one.");
            }
            try {
                begin();
                stage = Stage.RUNNING;
            } finally {
                if (stage == Stage.NEW) {
                    stage = Stage.STOPPED;
                    end();
                }
            }
        } finally {
            turn.unlock();
        }
    }

    /** Stops it, and waits until it has ended. */
    public final void stop() {
        turn.lock();
        try {
            boolean running = stage == Stage.RUNNING;
            stage = Stage.STOPPED;
            if (running) {
                end();
            }
        } finally {
            turn.unlock();
        }
    }

    /** Stops it. */
    @Override
    public final void close() {
        stop();
    }

    /** Whether it has been started and not been stopped. */
    public final boolean running() {
        return stage == Stage.RUNNING;
    }

    /**
     * How often it has done something, when it is at rest: it does nothing more until its {@link
     * Time} has moved on, or it is called. {@link #BUSY} when it is not at rest.
     *
     * <p>This is for tests that move the time themselves and must know when to. The number grows
     * with everything that is done, so who asks twice and is given the same number knows that the
     * service was at rest in between; and services that were all at rest at one moment stay so. A
     * service that does not run is at rest.
     */
    public final long turnsAtRest() {
        return running() ? rested() : 0;
    }

    /** What {@link #turnsAtRest} says while it runs: nothing but what is called, unless it says. */
    protected long rested() {
        return 0;
    }

    /** What services have done together, if all of them are at rest. */
    protected static long rested(Collection<? extends Service> services) {
        long sum = 0;
        for (var service : services) {
            long turns = service.turnsAtRest();
            if (turns == BUSY) {
                return BUSY;
            }
            sum += turns;
        }
        return sum;
    }

    /** Gets everything going. Called once at most. */
    protected abstract void begin();

    /** Ends whatever {@link #begin} got going, all of it or the part that it came to. */
    protected abstract void end();

    /**
     * A thread of this process' own, running. What keeps a worker alive runs on such threads, which
     * share nothing with the virtual threads of handlers: a handler that computes keeps the carrier
     * that it runs on for as long as it likes. It ends with the JVM.
     */
    protected static Thread daemon(String name, Runnable work) {
        return Thread.ofPlatform()
                .daemon()
                .name(name)
                .inheritInheritableThreadLocals(false)
                .start(work);
    }

    /** Stops services one after the other. One that fails to stop does not keep the others. */
    protected static void stopAll(List<? extends Service> services) {
        Throwable failure = null;
        for (var service : services) {
            try {
                service.stop();
            } catch (RuntimeException | Error e) {
                failure = failure == null ? e : failure;
            }
        }
        switch (failure) {
            case RuntimeException e -> throw e;
            case Error e -> throw e;
            case null, default -> {}
        }
    }

    /**
     * Waits for a thread to end, so long at most, and says whether it has. It waits although it is
     * interrupted: a caller that stops something wants it stopped.
     */
    protected static boolean join(Thread thread, Duration patience) {
        long until = System.nanoTime() + patience.toNanos();
        boolean interrupted = false;
        while (true) {
            try {
                boolean ended = thread.join(Duration.ofNanos(until - System.nanoTime()));
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
                return ended;
            } catch (InterruptedException again) {
                interrupted = true;
            }
        }
    }
}
