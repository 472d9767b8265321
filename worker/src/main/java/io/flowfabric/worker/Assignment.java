package io.flowfabric.worker;

import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Ending;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.policy.RetryDecision;
import io.flowfabric.engine.QuietLogger;
import io.flowfabric.engine.Time;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;

/**
 * A lease in this worker, from its claim to the answer to its ending.
 *
 * <p>Its handler, a heartbeat, a dying session and a worker that shuts down all want to end it; the
 * one that moves its stage does, and the others find that there is nothing left to do.
 */
final class Assignment implements Runnable {
    private static final Logger LOG = QuietLogger.of(Assignment.class);

    private enum Stage {
        /** Prefetched; its handler has not begun. */
        WAITING,
        /** Its handler runs. */
        RUNNING,
        /** How it ends is decided, and on its way to the store. */
        ENDING,
        /** The lease is not ours any more. Whatever the handler does now is dropped. */
        LOST
    }

    private final WorkerSession shift;
    private final Lease lease;
    private final long claimed;
    private final long ends;
    private final AtomicReference<Stage> stage = new AtomicReference<>(Stage.WAITING);
    private volatile @Nullable Thread thread;
    private volatile boolean askedToStop;
    private @Nullable Ending ending;
    private boolean refused;

    /**
     * @param claimed when it was claimed, or a little later, in the time of the engine
     */
    Assignment(WorkerSession shift, Lease lease, long claimed) {
        this.shift = shift;
        this.lease = lease;
        this.claimed = claimed;
        this.ends = claimed + lifetime(lease);
    }

    /**
     * How long a lease may last: until the attempt times out or the execution expires. Both are
     * moments of the store's clock, and so is the lease's beginning; the difference holds by any.
     */
    private static long lifetime(Lease lease) {
        long timeout = lease.policy().attemptTimeout().map(Time::nanos).orElse(Time.FAR);
        long expiry =
                lease.deadline()
                        .map(end -> Time.nanos(Duration.between(lease.since(), end)))
                        .orElse(Time.FAR);
        return Math.min(timeout, expiry);
    }

    Lease lease() {
        return lease;
    }

    /** How many nanoseconds ago it was claimed. */
    long age(long now) {
        return now - claimed;
    }

    /** How many nanoseconds it has left until its time is over. */
    long left(long now) {
        return ends - now;
    }

    /** Whether its handler waits for time to pass, and for nothing else. */
    boolean asleep() {
        var running = thread;
        return running != null && stage.get() == Stage.RUNNING && shift.time().waits(running);
    }

    /** Runs the handler, in a thread of its own. */
    @Override
    public void run() {
        thread = Thread.currentThread();
        long began = System.nanoTime();
        boolean mine = false;
        try {
            // What a dying session had prefetched must not begin while it is being told, one by
            // one; nor what waited for a thread until its time was over.
            if (left(shift.time().nanos()) <= 0) {
                runOut();
            }
            mine = shift.valid() && stage.compareAndSet(Stage.WAITING, Stage.RUNNING);
            if (mine) {
                StartMeasure.begun(lease, shift.metrics());
                var how = perform();
                shift.metrics()
                        .handled(
                                lease.kind(),
                                how instanceof Ending.Fail,
                                Duration.ofNanos(System.nanoTime() - began));
                end(Stage.RUNNING, how);
            }
        } catch (Throwable bug) {
            // Nothing else would end it: its session goes on, and with it the lease.
            release();
            abandon();
            LOG.error("{} could not be run to its end; it is given back.", this, bug);
        } finally {
            if (mine) {
                shift.ran(System.nanoTime() - began);
            } else {
                shift.slotFreed();
            }
        }
    }

    /** Gives up a lease whose handler has not begun. */
    void release() {
        end(Stage.WAITING, new Ending.Release(fence()));
    }

    /** Asks the handler to stop; if it does, without a result, the lease is given up unharmed. */
    void askToStop() {
        askedToStop = true;
        interrupt(Stage.RUNNING);
    }

    /** Gives up the lease although the handler would not stop; what it does now is dropped. */
    void abandon() {
        end(Stage.RUNNING, new Ending.Release(fence()));
    }

    /** Notes that the lease is lost, and says whether its work was not over yet. */
    boolean lose() {
        boolean working = runOut();
        if (lost()) {
            shift.forget(this);
        }
        return working;
    }

    /**
     * Stops the work because its time is over, and says whether it was not over yet. The lease is
     * known here until the store says that it is lost.
     */
    boolean runOut() {
        if (stage.compareAndSet(Stage.WAITING, Stage.LOST)) {
            return true;
        }
        if (stage.compareAndSet(Stage.RUNNING, Stage.LOST)) {
            interrupt(Stage.LOST);
            return true;
        }
        return false;
    }

    boolean lost() {
        return stage.get() == Stage.LOST;
    }

    boolean askedToStop() {
        return askedToStop;
    }

    /** How it ends; decided before it reaches the committers. */
    Ending ending() {
        return Objects.requireNonNull(ending, "ending");
    }

    /**
     * Ends in another way, because the store cannot take this one: as a failure for good, and after
     * that by giving the lease back. Says whether there was another way.
     */
    boolean endInstead(Throwable why) {
        if (ending instanceof Ending.Release) {
            return false;
        }
        if (refused) {
            ending = new Ending.Release(fence());
            return true;
        }
        refused = true;
        var reason = AttemptFailure.of(why);
        var failure = new Failure(Failure.PERMANENT, reason.message(), reason.detail());
        ending = new Ending.Fail(fence(), failure, RetryDecision.GIVE_UP);
        return true;
    }

    /** The store has answered: there is nothing left to do about it. */
    void settled() {
        shift.forget(this);
    }

    private void end(Stage from, Ending how) {
        if (stage.compareAndSet(from, Stage.ENDING)) {
            ending = how;
            try {
                shift.commit(this);
            } catch (Throwable bug) {
                giveUpSession(bug);
            }
        }
    }

    /** Ends the session, because nothing else would end this lease any more. */
    void giveUpSession(Throwable why) {
        shift.giveUp("the end of %s is lost by a fault of this process: %s".formatted(this, why));
    }

    private void interrupt(Stage expected) {
        var running = thread;
        if (running != null && stage.get() == expected) {
            running.interrupt();
        }
    }

    private Task task() {
        return new LeasedTask(this, shift);
    }

    private Ending perform() {
        try {
            return switch (shift.handler(lease.kind()).handle(task())) {
                case null -> new Ending.Complete(fence(), Payload.EMPTY);
                case TaskResult.Complete(var result) ->
                        new Ending.Complete(fence(), given("complete", result));
                case TaskResult.Delay(var until) ->
                        new Ending.Delay(fence(), given("delay", until));
                case TaskResult.Suspend(var suspension) ->
                        new Ending.Suspend(fence(), given("suspend", suspension));
                case TaskResult.Await(var flow) -> new Ending.Await(fence(), given("await", flow));
                case TaskResult.Release() -> new Ending.Release(fence());
                case TaskResult.Cancel(var reason) ->
                        new Ending.Cancel(fence(), given("cancel", reason));
            };
        } catch (Throwable failure) {
            // Whatever a handler throws when it is asked to stop, it throws because of that.
            return askedToStop || lost() ? new Ending.Release(fence()) : failed(failure);
        }
    }

    /** What the handler gave; code that is not checked for null can give nothing. */
    private <T> T given(String result, @Nullable T value) {
        if (value == null) {
            throw TaskFailure.permanent(
                    "The handler of %s returned %s(null); only null itself means that there is no result."
                            .formatted(lease.kind(), result));
        }
        return value;
    }

    private Ending failed(Throwable thrown) {
        var failure = AttemptFailure.of(thrown);
        var verdict =
                lease.policy().retry().decide(fence().execution(), failure, lease.retriesUsed());
        switch (verdict) {
            case RetryDecision.TryAgain(var delay) ->
                    LOG.info(
                            "{} failed, and is tried again in {}: {}",
                            fence(),
                            delay,
                            failure.message());
            case RetryDecision.GiveUp() ->
                    LOG.warn("{} failed for good: {}", fence(), failure.detail());
        }
        return new Ending.Fail(fence(), failure, verdict);
    }

    Fence fence() {
        return lease.fence();
    }

    @Override
    public String toString() {
        return "%s of %s".formatted(fence(), lease.kind());
    }
}
