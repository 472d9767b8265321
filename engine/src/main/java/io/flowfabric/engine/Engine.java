package io.flowfabric.engine;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.lease.Claims;
import io.flowfabric.core.lease.Grants;
import io.flowfabric.core.lease.Leases;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.submit.Submissions;

import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * A store that is kept going.
 *
 * <p>While it runs, what is due happens, sessions are kept alive and claims wait for work instead
 * of polling. Many engines may run on one store. It does not own the store: the code that opened it
 * closes it, after the engine has stopped, and stops the workers before.
 */
public final class Engine extends Service {
    private final Store store;
    private final EngineMetrics metrics;
    private final Time time;
    private final Sweeps sweeps;
    private final Recounts recounts;
    private final ClaimParking parking;
    private final Submissions submissions;
    private final FirstKey firstKey;
    private final Grants grants;
    private final Leases leases;
    private final Set<Follower> followers = ConcurrentHashMap.newKeySet();
    private volatile boolean stopped;

    public Engine(Store store) {
        this(store, EngineOptions.DEFAULT, EngineMetrics.NONE);
    }

    public Engine(Store store, EngineOptions options, EngineMetrics metrics) {
        this(store, options, metrics, Time.SYSTEM);
    }

    /** An engine in a time of its own; the store should live in the same. */
    public Engine(Store store, EngineOptions options, EngineMetrics metrics, Time time) {
        this.store = store;
        this.metrics = new GuardedMetrics(metrics);
        this.time = time;
        this.sweeps = new Sweeps(store.maintenance(), options, this.metrics, time);
        this.recounts = new Recounts(store, options, this.metrics, time);
        this.parking = new ClaimParking(store.wakeups(), options, this.metrics, time);
        this.submissions =
                new ChunkedSubmissions(
                        store.submissions(),
                        sweeps,
                        this.metrics,
                        time,
                        options.submitChunk(),
                        () -> stopped);
        this.firstKey = new FirstKey(store.keys(), time);
        this.grants = new MeteredGrants(store.grants(), firstKey, sweeps, this.metrics);
        this.leases = new MeteredLeases(store.leases(), sweeps, this.metrics);
    }

    /** The store, for everything that an engine adds nothing to. */
    public Store store() {
        return store;
    }

    public Time time() {
        return time;
    }

    /**
     * Where work comes in, however much at once: it goes to the store in chunks, each a commit of
     * its own. When one of them fails, repeating all of it is safe. An engine that has stopped
     * refuses: what becomes due would wait for another engine.
     */
    public Submissions submissions() {
        return submissions;
    }

    /** Where work is given out as tickets, and where these are redeemed. */
    public Grants grants() {
        return grants;
    }

    /** Where the holders of leases write. */
    public Leases leases() {
        return leases;
    }

    /**
     * Where a session claims that the caller keeps alive: counted, and with a line in the log for
     * each claim. What came of it is for that session alone.
     */
    public Claims claims(Session session) {
        return new MeteredClaims(store.claims(), session, metrics, time);
    }

    /** What this engine counts with; for those on top of it that know more than it does. */
    public EngineMetrics metrics() {
        return metrics;
    }

    /** A session of a worker in this process, not yet started. */
    public EngineSession session(Session session, EngineSession.Holder holder) {
        return new EngineSession(store, parking, metrics, time, session, holder);
    }

    /** Where the claims of a session wait that the caller keeps alive. */
    public ClaimWaiter place(Session session) {
        return parking.join(session);
    }

    /**
     * Follows what happens, from behind a cursor on. The caller stops the follower; a stopping
     * engine stops those that are left.
     *
     * @param after where to begin: {@link Cursor#NOW} for what happens from this call on, {@code
     *     store().feeds().beginning()} for all that is kept, or one that was saved
     * @throws io.flowfabric.core.Invalid when the cursor is malformed, expired, or of a log that
     *     was restored from a copy since
     * @throws Unavailable when the engine has stopped
     */
    public Follower follow(FeedFilter filter, Cursor after) {
        var follower = new Follower(store.feeds(), filter, after, time);
        follower.start();
        followers.removeIf(other -> !other.running());
        followers.add(follower);
        // Looked at after it was put in: stopping the engine does it the other way round.
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
        sweeps.start();
        recounts.start();
    }

    @Override
    protected void end() {
        stopped = true;
        followers.forEach(Follower::stop);
        recounts.stop();
        firstKey.stop();
        sweeps.stop();
        parking.stop();
    }

    @Override
    public String toString() {
        return "The engine";
    }
}
