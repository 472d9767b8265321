package io.flowfabric.worker;

import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.OutageLog;
import io.flowfabric.engine.QuietLogger;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Runs handlers: claims work of the kinds that it has handlers for, gives each piece a thread, and
 * brings what came of it to the store.
 *
 * <p>When its session dies it interrupts everything, opens another session and goes on. Stopping
 * drains it: nothing more is claimed, what has not begun is given back, and handlers that run get
 * time to finish.
 */
public final class Worker extends Service {
    private static final Logger LOG = QuietLogger.of(Worker.class);

    /** How long one claim waits; only so that a thread that waits shows a sign of life. */
    private static final Duration CLAIM_WAIT = Duration.ofMinutes(1);

    /** How long handlers get to stop once they are interrupted. */
    private static final Duration UNWINDING = Duration.ofSeconds(1);

    /**
     * How long a claim under way may last before it is interrupted, and again before it is left.
     */
    private static final Duration PATIENCE = Duration.ofSeconds(2);

    private static final Backoff AGAIN =
            Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(5), 2);

    private final Engine engine;
    private final Session template;
    private final Map<String, Handler.WithResult> handlers;
    private final Slots slots;
    private final Committers<Assignment> endings;
    private final HandlerReports reports;
    private final OutageLog trouble;
    private volatile Duration grace;
    private volatile boolean draining;
    private volatile boolean awaitsRoom;
    private volatile WorkerSession shift;
    private @Nullable Thread claimer;

    /** How many sessions in a row ended before their first heartbeat. Belongs to the claimer. */
    private int stillborn;

    /**
     * @param template the session, of which each life gets an id of its own
     * @param threads what handlers run on
     */
    Worker(
            Engine engine,
            Session template,
            Map<String, Handler.WithResult> handlers,
            int concurrency,
            ThreadFactory threads,
            Duration grace) {
        this.engine = engine;
        this.template = template;
        this.handlers = Map.copyOf(handlers);
        this.grace = grace;
        this.trouble =
                new OutageLog(LOG, engine.time(), "The claims of worker " + template.worker());
        this.endings =
                new Committers<>(
                        new EndingCommit(engine.leases(), engine.metrics()),
                        engine.time(),
                        template.worker(),
                        this::committed);
        this.reports = new HandlerReports(engine.leases(), engine.time(), template.worker());
        this.slots =
                new Slots(
                        concurrency,
                        new HandlerThreads(threads, engine.time()),
                        endings,
                        engine.time());
        this.shift = newShift();
    }

    /** Describes a worker on an engine. */
    public static WorkerBuilder on(Engine engine) {
        return new WorkerBuilder(engine);
    }

    /**
     * Stops it: nothing more is claimed, and handlers that run get so long to finish. Those that
     * have not by then are interrupted, and their work is given back.
     */
    public void stop(Duration grace) {
        this.grace = grace;
        stop();
    }

    @Override
    protected void begin() {
        engine.own(this);
        endings.start();
        reports.services().forEach(Service::start);
        shift.session().start();
        claimer = daemon(template.worker() + "-claimer", this::work);
    }

    @Override
    protected void end() {
        try {
            drain();
        } finally {
            engine.disown(this);
            stopAll(
                    Stream.of(List.of(endings), reports.services(), List.of(shift.session()))
                            .<Service>flatMap(List::stream)
                            .toList());
        }
    }

    /**
     * It is at rest when no handler runs but such as wait for time to pass, no ending is on its
     * way, and its claim waits for work that there is not, or for room.
     */
    @Override
    protected long rested() {
        var now = shift;
        long claims = awaitsRoom && !slots.roomy() ? 0 : now.session().claimsAtRest();
        long moves = slots.movesAtRest(now.asleep());
        long others = rested(List.of(endings, now.session()));
        boolean busy = now.over() || claims == BUSY || moves == BUSY || others == BUSY;
        return busy ? BUSY : claims + moves + others;
    }

    private void drain() {
        draining = true;
        slots.close();
        // Those that wait for a slot, and those that wait for their thread.
        shift.assignments().forEach(Assignment::release);
        shift.session().quiet();
        if (!slots.awaitIdle(Time.nanos(grace))) {
            var left = shift.assignments();
            LOG.warn("{} of {} did not end in time; they are interrupted.", left.size(), this);
            left.forEach(Assignment::askToStop);
            slots.awaitIdle(UNWINDING.toNanos());
            shift.assignments().forEach(Assignment::abandon);
        }
        // What a claim still brings is given back, so this comes before the end of the committers.
        endClaims();
    }

    private void endClaims() {
        var running = claimer;
        if (running == null) {
            return;
        }
        LockSupport.unpark(running);
        if (!join(running, PATIENCE)) {
            running.interrupt();
            join(running, PATIENCE);
        }
    }

    private void work() {
        int failures = 0;
        while (!draining) {
            try {
                turn(shift);
                failures = 0;
                trouble.worked();
            } catch (Throwable e) {
                trouble.failed(e);
                pause(failures++);
            }
        }
    }

    private void turn(WorkerSession now) {
        try {
            if (now.over()) {
                relieve(now);
            } else if (roomy(now)) {
                take(now, now.session().claim(slots::room, CLAIM_WAIT));
            }
        } catch (NotFound gone) {
            LOG.debug("The session of {} is gone.", this, gone);
            now.died();
        } catch (InterruptedException e) {
            LOG.debug("The claims of {} were interrupted.", this, e);
        }
    }

    /** Takes on what was claimed; leases that no handler works on end with their session. */
    private static void take(WorkerSession now, List<Lease> claimed) {
        try {
            now.take(claimed);
        } catch (Throwable bug) {
            now.died();
            throw bug;
        }
    }

    /** Waits until a claim is worth it; false when there is no point in one any more. */
    private boolean roomy(WorkerSession now) throws InterruptedException {
        if (!draining && slots.room() == 0) {
            engine.metrics().atCapacity();
        }
        awaitsRoom = true;
        try {
            return slots.awaitRoom(() -> draining || now.over());
        } finally {
            awaitsRoom = false;
        }
    }

    /** Goes on under another session. */
    private void relieve(WorkerSession old) {
        boolean early = old.age() < template.heartbeatEvery().toNanos();
        old.session().stop();
        stillborn = early ? stillborn + 1 : 0;
        if (stillborn > 1) {
            pause(stillborn - 2);
        }
        if (draining) {
            return;
        }
        var next = newShift();
        next.session().start();
        shift = next;
        if (draining) {
            // The draining thread may not have waited for this thread, and closed only the old one.
            next.session().stop();
            return;
        }
        LOG.info("{} goes on in the session {}.", this, next.session().id());
    }

    private void pause(int failures) {
        engine.time().backOff(AGAIN.delay(failures), () -> draining);
    }

    private WorkerSession newShift() {
        return new WorkerSession(
                engine, template.id(SessionId.mint()), handlers, slots, endings, reports);
    }

    private void committed() {
        slots.recheck();
    }

    @Override
    public String toString() {
        return "The worker " + template.worker();
    }
}
