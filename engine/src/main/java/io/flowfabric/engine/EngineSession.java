package io.flowfabric.engine;

import io.flowfabric.core.Advice;
import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.lease.Heartbeat;
import io.flowfabric.core.lease.HeartbeatResult;
import io.flowfabric.core.lease.Lease;
import io.flowfabric.core.lease.Session;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.store.Store;
import io.flowfabric.engine.EngineMetrics.FencedCall;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.IntSupplier;

/**
 * One life of a worker process, kept up: it opens a session, sends its heartbeats, claims for it
 * and closes it.
 *
 * <p>The store counts a session as dead when its time to live has passed since the last heartbeat.
 * So that the worker never believes longer than the store that it holds its leases, the session
 * counts itself as dead a sixth of that time earlier, measured from before the last heartbeat that
 * was acknowledged. What is dead stays dead: the worker stops everything and starts another one.
 */
public final class EngineSession extends Service {
    private static final Logger LOG = QuietLogger.of(EngineSession.class);

    /** Shorter ones would end between two heartbeats; their loop needs time for itself. */
    private static final Duration SHORTEST_TTL = Loop.FLOOR.multipliedBy(10);

    private static final int TRIES = 5;

    /** How long a heartbeat may take even where they come in quicker succession. */
    private static final Duration LEAST_PATIENCE = Duration.ofMillis(500);

    /** Who works on the leases of a session. Called from the session's own threads. */
    public interface Holder {
        /** The fences it believes to hold. */
        Set<Fence> held();

        /**
         * Another worker may have these by now: the work on them must stop. What the holder has
         * ended meanwhile can be among them. Returns how many it was still working on.
         */
        int lost(Set<Fence> fences);

        /**
         * Looks after what time does to its leases. Called when the time has come that it said
         * before, and when {@link EngineSession#attendSoon} was called.
         *
         * @return how many nanoseconds later it is to be called again at the latest
         */
        default long attend() {
            return Long.MAX_VALUE;
        }

        /** Everything is lost. Called once at most, and not when the session is closed. */
        void died();
    }

    private final Store store;
    private final ClaimParking parking;
    private final LossNotices losses;
    private final EngineMetrics metrics;
    private final Time time;
    private final Session session;
    private final Holder holder;
    private final long beatEvery;
    private final long fencedAfter;
    private final Duration patience;
    private final Backoff again;
    private final NumberedClaims claiming;
    private final UnknownLeases unknown;
    private final OutageLog trouble;
    private final Loop heart;
    private final Loop watch;

    private final AtomicBoolean dead = new AtomicBoolean();

    /** How often there was reason to ask what is lost before a heartbeat is due. */
    private final AtomicLong reasons = new AtomicLong();

    // What follows belongs to the heart.

    /** Fences whose turn to be named in a heartbeat is still to come. */
    private final ArrayDeque<Fence> unnamed = new ArrayDeque<>();

    /** The reason that the current round through all fences began with, and the last one done. */
    private long asking;

    private long answered;

    private volatile boolean quiet;
    private volatile long lastSign;
    private @Nullable ClaimWaiter place;

    EngineSession(
            Store store,
            ClaimParking parking,
            LossNotices losses,
            EngineMetrics metrics,
            Time time,
            Session session,
            Holder holder) {
        this.store = store;
        this.parking = parking;
        this.losses = losses;
        this.metrics = metrics;
        this.time = time;
        this.session = session;
        this.holder = holder;
        if (session.ttl().compareTo(SHORTEST_TTL) < 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "session ttl",
                    "%s is shorter than %d ms, and no heartbeat would come in time."
                            .formatted(session.ttl(), SHORTEST_TTL.toMillis()));
        }
        this.beatEvery = session.heartbeatEvery().toNanos();
        this.fencedAfter = session.givesItselfUpAfter().toNanos();
        this.patience = Duration.ofNanos(Math.max(beatEvery, LEAST_PATIENCE.toNanos()));
        this.again = Backoff.exponential(atMost(50), atMost(1000), 2);
        this.claiming =
                new NumberedClaims(
                        new MeasuredClaims(store.claims(), id -> session, metrics, time),
                        session.id(),
                        time,
                        again,
                        () -> quiet || dead.get());
        this.unknown = new UnknownLeases(claiming);
        this.trouble = new OutageLog(LOG, time, "The heartbeats of session " + session.id());
        this.heart = new Loop("ff-heart", time, this::beat, again, this::failed);
        this.watch = new Loop("ff-watch", time, this::look, again, this::failed);
    }

    /** The id of this session in the store. */
    public SessionId id() {
        return session.id();
    }

    /**
     * Whether the leases of this session can be believed in. Once they cannot, they never can
     * again: the thread that finds out first ends the session.
     */
    public boolean alive() {
        if (!running()) {
            return false;
        }
        if (time.nanos() - lastSign >= fencedAfter) {
            die("no heartbeat was acknowledged for " + Duration.ofNanos(fencedAfter));
        }
        return !dead.get();
    }

    /**
     * Leases work, and waits for some when there is none. An empty list means that there was none
     * in all that time, or that {@link #quiet} was called.
     *
     * @param room how many leases are wanted at most, asked again at each look
     * @throws NotFound when the session is over
     */
    public List<Lease> claim(IntSupplier room, Duration maxWait) throws InterruptedException {
        var here = place;
        if (here == null || !running() || dead.get()) {
            throw over();
        }
        var leases =
                here.claim(
                        new ClaimWaiter.Attempt() {
                            @Override
                            public ClaimWaiter.Found look() {
                                return claimOnce(room);
                            }

                            @Override
                            public boolean over() {
                                return quiet || dead.get();
                            }
                        },
                        maxWait);
        if (dead.get()) {
            throw over();
        }
        return leases;
    }

    /** Lets claims that wait return at once, and no others begin. The session goes on. */
    public void quiet() {
        quiet = true;
        rouse();
    }

    /** Ends the session as if it had died: its holder hears of it, and its work is lost. */
    public void giveUp(String because) {
        die(because);
    }

    /** Lets the holder look after its leases at once, because it has others than before. */
    public void attendSoon() {
        watch.hurry();
    }

    @Override
    protected void begin() {
        place = parking.join(session);
        losses.join(session.id(), this::askNow);
        for (int failures = 0; ; failures++) {
            try {
                long asked = time.nanos();
                store.sessions().open(session);
                lastSign = asked;
                break;
            } catch (FlowFabricException e) {
                if (e.advice() != Advice.REPEAT_LATER || failures + 1 == TRIES) {
                    throw e;
                }
                time.backOff(again.delay(failures), () -> false);
            }
        }
        heart.start();
        watch.start();
    }

    @Override
    protected void end() {
        quiet();
        heart.stop();
        watch.stop();
        losses.leave(session.id());
        if (place != null) {
            place.close();
            // A store that has not answered for so long will hardly do now.
            boolean silent = time.nanos() - lastSign > 2 * beatEvery;
            close(dead.get() || silent ? 1 : TRIES);
        }
    }

    /**
     * It is at rest when no heartbeat is due and its holder has nothing to look after. Claims are
     * another matter: {@link #claimsAtRest}.
     */
    @Override
    protected long rested() {
        return dead.get() ? BUSY : rested(List.of(heart, watch));
    }

    /**
     * How often the claim of this session has waited in vain, while it waits and has no reason to
     * look for work; {@link #BUSY} otherwise, as {@link #turnsAtRest} says it. For a session with
     * one thread that claims.
     */
    public long claimsAtRest() {
        var here = place;
        return here == null ? BUSY : here.turnsAtRest();
    }

    private void close(int tries) {
        for (int failures = 0; failures < tries; failures++) {
            if (failures > 0) {
                time.backOff(again.delay(failures - 1), () -> false);
            }
            try {
                store.sessions().close(session.id());
                return;
            } catch (RuntimeException e) {
                LOG.debug("Closing the session {} failed.", session.id(), e);
            }
        }
        LOG.info("The session {} could not be closed; it will expire.", session.id());
    }

    private ClaimWaiter.Found claimOnce(IntSupplier room) {
        try {
            return claiming.claim(room);
        } catch (NotFound gone) {
            die("the store does not know it any more");
            throw gone;
        }
    }

    /** Lets claims that wait look whether it is over. */
    private void rouse() {
        var here = place;
        if (here != null) {
            here.rouse();
        }
    }

    private void askNow() {
        reasons.incrementAndGet();
        heart.hurry();
    }

    private long beat() {
        long asked = time.nanos();
        long early = beatEvery - (asked - lastSign);
        long reason = reasons.get();
        if (dead.get() || (early > 0 && reason == answered)) {
            return dead.get() ? beatEvery : early;
        }
        if (reason != asking) {
            // A round under way may have passed what was lost since it began.
            asking = reason;
            unnamed.clear();
        }
        var heartbeat =
                new Heartbeat(session.id(), claiming.acknowledged(), nextFences(), patience);
        unknown.asking(() -> holder.held().size());
        var answer = answer(heartbeat);
        metrics.renewed(answer.isDone());
        switch (answer) {
            case Answer.Done<HeartbeatResult>(var beat) -> {
                lastSign = asked;
                trouble.worked();
                if (unnamed.isEmpty()) {
                    answered = asking;
                }
                if (!beat.lost().isEmpty()) {
                    metrics.fenced(FencedCall.HEARTBEAT, holder.lost(beat.lost()));
                }
                // Those that come in between may follow upon each other at once.
                if (early <= 0 && unknown.believed(beat.leases())) {
                    die("the store has leases that it does not know, whose ends it has lost");
                }
            }
            case Answer.Refused<HeartbeatResult>(NotFound gone) ->
                    die("the store does not know it any more");
            case Answer.Refused<HeartbeatResult>(var refusal) -> throw refusal;
        }
        return reasons.get() == answered ? beatEvery - (time.nanos() - asked) : 0;
    }

    /** What is held; where that is too much for one heartbeat, each of it in its turn. */
    private Set<Fence> nextFences() {
        if (unnamed.isEmpty()) {
            unnamed.addAll(holder.held());
        }
        var next = new HashSet<Fence>();
        while (!unnamed.isEmpty() && next.size() < Limit.BATCH.max()) {
            next.add(unnamed.remove());
        }
        return next;
    }

    private Answer<HeartbeatResult> answer(Heartbeat heartbeat) {
        try {
            return store.sessions().heartbeat(List.of(heartbeat)).getFirst();
        } catch (RuntimeException | Error e) {
            metrics.renewed(false);
            throw e;
        }
    }

    private long look() {
        if (!alive()) {
            return beatEvery;
        }
        long next = holder.attend();
        return Math.min(next, fencedAfter - (time.nanos() - lastSign));
    }

    private void die(String because) {
        if (dead.compareAndSet(false, true)) {
            LOG.warn("The session {} of {} is over: {}.", session.id(), session.worker(), because);
            metrics.sessionDied();
            try {
                holder.died();
            } finally {
                rouse();
            }
        }
    }

    /**
     * A store that cannot be used now is asked again for as long as the session lives. Anything
     * else is a fault of this process, after which it is not known what the session does: it ends.
     */
    private void failed(Throwable failure) {
        trouble.failed(failure);
        if (!(failure instanceof FlowFabricException)) {
            die("one of its threads failed: " + failure);
        }
    }

    private NotFound over() {
        return new NotFound("session", session.id().toString());
    }

    /** Milliseconds, or less where heartbeats come in quicker succession. */
    private Duration atMost(long millis) {
        return Duration.ofMillis(Math.clamp(Duration.ofNanos(beatEvery).toMillis() / 5, 1, millis));
    }
}
