package io.flowfabric.engine;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.admission.Budgets;
import io.flowfabric.core.admission.Quotas;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.flow.Flows;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.lease.Sessions;
import io.flowfabric.core.operate.Keys;
import io.flowfabric.core.operate.Lanes;
import io.flowfabric.core.operate.Namespaces;
import io.flowfabric.core.operate.Operations;
import io.flowfabric.core.operate.Workers;
import io.flowfabric.core.query.Queries;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.core.signal.Signals;
import io.flowfabric.core.store.Backend;
import io.flowfabric.core.store.ShutdownOrder;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.stream.StreamPage;
import io.flowfabric.core.stream.Streams;
import io.flowfabric.core.submit.Submissions;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadFactory;

/**
 * A store that is kept going, and the one entry point to it.
 *
 * <p>While an engine runs, what is due happens, sessions are kept alive and claims wait for work
 * instead of polling. Many engines may run on one store. What goes through an engine is counted in
 * its {@link EngineMetrics}, and its sweeps hear of what will be due; use the engine for
 * everything, and the store only to open and to close it.
 *
 * <p>Closing an engine stops its workers and then itself, and leaves the store open: the program
 * that opened the store closes it after the engine. So does a JVM that is told to end, unless the
 * {@link EngineOptions} say otherwise. A stopped engine refuses new work and claims that wait;
 * reads and the last writes of leaseholders still reach the store.
 */
public final class Engine extends Service implements Backend {
    /** Threads that stop workers; each takes as long as its handlers need. */
    private static final ThreadFactory STOPPERS =
            Thread.ofPlatform()
                    .daemon()
                    .name("ff-stop")
                    .inheritInheritableThreadLocals(false)
                    .factory();

    private final Store store;
    private final EngineMetrics metrics;
    private final Time time;
    private final Sweeps sweeps;
    private final Recounts recounts;
    private final ScheduleFiring firing;
    private final Schedules schedules;
    private final ClaimParking parking;
    private final LossNotices losses;
    private final StreamTails tails;
    private final Submissions submissions;
    private final KnownSessions sessions;
    private final Claims claims;
    private final FirstKey firstKey;
    private final Grants grants;
    private final Leases leases;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    private final Set<Service> owned = ConcurrentHashMap.newKeySet();
    private final boolean stopsWithJvm;
    private final Runnable stopping = this::stop;
    private final Thread hook = new Thread(stopping, "ff-shutdown");
    private volatile boolean closing;
    private volatile boolean stopped;

    /** An engine with the default options that counts nothing. It is not started yet. */
    public Engine(Store store) {
        this(store, EngineOptions.DEFAULT, EngineMetrics.NONE);
    }

    /**
     * An engine, not started yet.
     *
     * @param options how often it looks and how much it does at once
     * @param metrics what it counts with; {@link EngineMetrics#NONE} for nothing
     */
    public Engine(Store store, EngineOptions options, EngineMetrics metrics) {
        this(store, options, metrics, Time.SYSTEM);
    }

    /** An engine in a time of its own; the store should live in the same. */
    public Engine(Store store, EngineOptions options, EngineMetrics metrics, Time time) {
        this.store = store;
        this.stopsWithJvm = options.stopsWithJvm();
        this.metrics = new GuardedMetrics(metrics, time);
        this.time = time;
        this.sweeps = new Sweeps(store.maintenance(), options, this.metrics, time);
        this.recounts = new Recounts(store, options, this.metrics, time);
        this.firing = new ScheduleFiring(store.firings(), time);
        this.schedules = new CheckedSchedules(store.schedules(), firing::hurry);
        this.parking = new ClaimParking(store.wakeups(), options, this.metrics, time);
        this.losses = new LossNotices(store.wakeups());
        this.tails = new StreamTails(store, options, time);
        this.submissions =
                new ChunkedSubmissions(
                        store.submissions(),
                        sweeps,
                        this.metrics,
                        time,
                        options.submitChunk(),
                        () -> stopped);
        this.sessions = new KnownSessions(store.sessions(), store.workers());
        this.claims = new MeasuredClaims(store.claims(), sessions::session, this.metrics, time);
        this.firstKey = new FirstKey(store.keys(), time);
        this.grants =
                new MeasuredGrants(
                        store.grants(), sessions::session, firstKey, sweeps, this.metrics, time);
        this.leases = new MeasuredLeases(store.leases(), sweeps, this.metrics);
    }

    /**
     * Where work comes in, however much at once: it goes to the store in chunks, each a commit of
     * its own. When one of them fails, repeating all of it is safe.
     *
     * @return submissions that are refused as {@link Unavailable} once the engine has stopped,
     *     because it would not be there for what becomes due
     */
    @Override
    public Submissions submissions() {
        return submissions;
    }

    /**
     * Where sessions are opened that another process keeps alive, as workers behind a server are. A
     * worker in this process has an {@link EngineSession} instead.
     */
    @Override
    public Sessions sessions() {
        return sessions;
    }

    /**
     * Where sessions claim that another process keeps alive: counted, and with a line in the log
     * for each claim. It answers at once; {@link #place} is where such a claim waits for work.
     */
    @Override
    public Claims claims() {
        return claims;
    }

    /** Where work is given out as signed tickets, and where these are redeemed: counted. */
    @Override
    public Grants grants() {
        return grants;
    }

    /** Where the holders of leases write: counted. */
    @Override
    public Leases leases() {
        return leases;
    }

    @Override
    public Flows flows() {
        return store.flows();
    }

    @Override
    public Signals signals() {
        return new KeyedSignals(store.signals(), firstKey);
    }

    @Override
    public Namespaces namespaces() {
        return store.namespaces();
    }

    @Override
    public Lanes lanes() {
        return store.lanes();
    }

    @Override
    public Quotas quotas() {
        return store.quotas();
    }

    @Override
    public Budgets budgets() {
        return store.budgets();
    }

    /**
     * What is submitted again and again. A cron expression that cannot be read is refused here, and
     * what is defined is fired by this engine while it runs.
     */
    @Override
    public Schedules schedules() {
        return schedules;
    }

    @Override
    public Workers workers() {
        return store.workers();
    }

    @Override
    public Keys keys() {
        return store.keys();
    }

    @Override
    public Operations operations() {
        return store.operations();
    }

    @Override
    public Queries queries() {
        return store.queries();
    }

    @Override
    public Feeds feeds() {
        return store.feeds();
    }

    @Override
    public Streams streams() {
        return store.streams();
    }

    /**
     * What was said in an attempt from a position on; when there is nothing yet, it waits until
     * there is, or the stream is closed, whichever process does that. An empty page of an open
     * stream says that the wait is over, or that the engine stops.
     *
     * @param from where the page before said to go on; 0 for the beginning
     * @param maxWait how long to wait at most
     * @throws io.flowfabric.core.NotFound when there is no such execution
     * @throws Unavailable when the engine does not run
     */
    public StreamPage tail(ExecutionId execution, int attempt, long from, int max, Duration maxWait)
            throws InterruptedException {
        return tails.tail(execution, attempt, from, max, maxWait);
    }

    /** The clock that the loops of this engine and its workers live by. */
    public Time time() {
        return time;
    }

    /** What this engine counts with, for the worker runtime on top of it to count with, too. */
    public EngineMetrics metrics() {
        return metrics;
    }

    /**
     * A session of a worker in this process, not started yet.
     *
     * @param session its id, name, lanes and kinds
     * @param holder who works on its leases and hears when they are lost
     * @throws Invalid when it lives too shortly for heartbeats
     */
    public EngineSession session(Session session, EngineSession.Holder holder) {
        return new EngineSession(store, parking, losses, metrics, time, session, holder);
    }

    /**
     * Where the claims of a session wait for work when another process keeps that session alive.
     * The caller closes the place with the session.
     */
    public ClaimWaiter place(Session session) {
        return parking.join(session);
    }

    /**
     * Lets this engine stop a service before it stops itself: a worker that runs on it.
     *
     * @throws Unavailable when the engine stops or has stopped
     */
    public void own(Service worker) {
        owned.add(worker);
        // Looked at after it was put in: the thread that stops the engine does it the other way
        // round.
        if (closing) {
            owned.remove(worker);
            throw new Unavailable("The engine has stopped; start a worker on one that runs.");
        }
    }

    /** Forgets a service that has stopped. */
    public void disown(Service worker) {
        owned.remove(worker);
    }

    /**
     * Follows what happens, from behind a cursor on. The caller stops the follower; a stopping
     * engine stops those that are left.
     *
     * @param filter which events are wanted
     * @param after where to begin: {@link Cursor#NOW} for what happens from this call on, {@link
     *     Cursor#START} for all that is kept, or one that was saved
     * @return the follower, running
     * @throws Invalid when the cursor is malformed, expired, or of a log that was restored from a
     *     copy since
     * @throws Unavailable when the engine has stopped
     */
    public Follower follow(FeedFilter filter, Cursor after) {
        var follower = new Follower(store.feeds(), filter, after, metrics, time);
        follower.start();
        followers.removeIf(other -> !other.running());
        followers.add(follower);
        // Looked at after it was put in: the thread that stops the engine does it the other way
        // round.
        if (stopped) {
            follower.stop();
            throw new Unavailable("The engine has stopped; follow through one that runs.");
        }
        return follower;
    }

    @Override
    protected void begin() {
        firstKey.start();
        parking.start();
        losses.start();
        tails.start();
        sweeps.start();
        recounts.start();
        firing.start();
        if (stopsWithJvm) {
            ShutdownOrder.beforeServers(stopping);
            addHook();
        }
    }

    @Override
    protected void end() {
        closing = true;
        JointStop.stop(owned, STOPPERS);
        stopped = true;
        var rest = new ArrayList<Service>(followers);
        rest.addAll(List.of(firing, recounts, firstKey, sweeps, parking, losses, tails));
        try {
            stopAll(rest);
        } finally {
            ShutdownOrder.forget(stopping);
            removeHook();
        }
    }

    /** It is at rest when its loops are, and the workers that it owns. */
    @Override
    protected long rested() {
        long own = rested(List.of(sweeps, recounts, firstKey));
        long others = rested(owned);
        return own == BUSY || others == BUSY ? BUSY : own + others;
    }

    private void addHook() {
        try {
            Runtime.getRuntime().addShutdownHook(hook);
        } catch (IllegalStateException late) {
            throw new Unavailable("The JVM ends; no engine is started any more.");
        }
    }

    private void removeHook() {
        try {
            Runtime.getRuntime().removeShutdownHook(hook);
        } catch (IllegalStateException shuttingDown) {
            // The hook is at work, perhaps in this thread.
        }
    }

    @Override
    public String toString() {
        return "The engine";
    }
}
