package io.flowfabric.engine;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.feed.FeedFilter;
import io.flowfabric.core.feed.Feeds;
import io.flowfabric.core.policy.Backoff;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;

/**
 * A reader of a feed: one event after the other, as they happen.
 *
 * <pre>{@code
 * try (var follower = engine.follow(filter, saved)) {
 *     while (follower.running()) {
 *         var next = follower.next(Duration.ofSeconds(10));
 *         next.ifPresent(entry -> handle(entry.event()));
 *         save(follower.position());
 *     }
 * }
 * }</pre>
 *
 * <p>It has no thread. The thread that asks for the next event reads it from the store, and waits
 * there when there is none; so who is slow reads slowly, and no more than one helping is ever kept.
 * One thread follows at a time; any thread may stop it and look at its status.
 *
 * <p>When the store cannot be reached, the wait goes on until it can again, and the {@link #status}
 * says so. When there is no going on, because what came next is no longer kept or the log was
 * restored from a copy, {@link #next} throws that refusal, and the follower has stopped.
 */
public final class Follower extends Service {
    private static final Logger LOG = QuietLogger.of(Follower.class);

    /**
     * How many events are kept at most before they are asked for. A look at a long log has its
     * price, so who is behind looks for many at a time.
     */
    static final int HELPING = 1000;

    /** How long to wait before looking again: longer each time, while nothing happens. */
    private static final Backoff PAUSE =
            Backoff.exponential(Duration.ofMillis(10), Duration.ofMillis(500), 2);

    private static final Backoff AGAIN =
            Backoff.exponential(Duration.ofMillis(50), Duration.ofSeconds(5), 2);

    /** How a follower is. */
    public enum State {
        /** It reads, or waits for something to happen. */
        FOLLOWING,
        /** The store cannot be reached; it is asked again and again. */
        RECONNECTING,
        /** It is over. */
        STOPPED
    }

    /**
     * How a follower is, since when, and why if it does not follow.
     *
     * @param why absent while it follows, and when it was stopped by a caller
     */
    public record Status(State state, Instant since, Optional<FlowFabricException> why) {}

    private final Feeds feeds;
    private final FeedFilter filter;
    private final EngineMetrics metrics;
    private final Time time;
    private final OutageLog trouble;
    private final AtomicReference<@Nullable Thread> reader = new AtomicReference<>();
    private final AtomicReference<Status> status;
    private volatile Cursor position;
    private volatile @Nullable FlowFabricException refusal;

    // What follows belongs to the thread that reads.

    private final ArrayDeque<Feeds.Entry> helping = new ArrayDeque<>();

    /** Behind everything of the current helping. */
    private Cursor behind;

    private long due;
    private int quiet;
    private int failures;

    Follower(Feeds feeds, FeedFilter filter, Cursor after, EngineMetrics metrics, Time time) {
        this(feeds, filter, after, metrics, time, LOG);
    }

    Follower(
            Feeds feeds,
            FeedFilter filter,
            Cursor after,
            EngineMetrics metrics,
            Time time,
            Logger log) {
        this.feeds = feeds;
        this.filter = filter;
        this.metrics = metrics;
        this.time = time;
        this.trouble = new OutageLog(log, time, "Reads of the feed of " + filter);
        this.position = after;
        this.behind = after;
        this.status =
                new AtomicReference<>(new Status(State.STOPPED, time.instant(), Optional.empty()));
    }

    /**
     * Follows a feed where no engine runs.
     *
     * @see Engine#follow
     */
    public static Follower of(Feeds feeds, FeedFilter filter, Cursor after) {
        var follower = new Follower(feeds, filter, after, EngineMetrics.NONE, Time.SYSTEM);
        follower.start();
        return follower;
    }

    /**
     * The next event, with the cursor behind it. Waits for one when there is none; empty when none
     * came in all that time, or the follower was stopped.
     *
     * @throws io.flowfabric.core.Invalid when there is no going on from here: {@code
     *     cursor_expired} or {@code cursor_restored}
     * @throws IllegalStateException when another thread is at it
     */
    public Optional<Feeds.Entry> next(Duration patience) throws InterruptedException {
        if (!reader.compareAndSet(null, Thread.currentThread())) {
            throw new IllegalStateException(
                    "Another thread waits for the next event of this follower; make another one.");
        }
        try {
            return nextUntil(time.nanos() + Time.nanos(patience));
        } finally {
            reader.set(null);
        }
    }

    /**
     * Behind everything that was handed out or passed over. A program that has dealt with what was
     * handed out saves this, and goes on from there another time; it moves on even if nothing fits.
     */
    public Cursor position() {
        return position;
    }

    /** How it is, for health checks. */
    public Status status() {
        return status.get();
    }

    /** A bad cursor is refused here, and {@link Cursor#NOW} is this moment. */
    @Override
    protected void begin() {
        take(feeds.read(filter, position, HELPING));
        status.set(new Status(State.FOLLOWING, time.instant(), Optional.empty()));
    }

    /** A read under way is not waited for: what it brings is not handed out. */
    @Override
    protected void end() {
        change(State.STOPPED, Optional.ofNullable(refusal));
        LockSupport.unpark(reader.get());
    }

    private Optional<Feeds.Entry> nextUntil(long deadline) throws InterruptedException {
        for (boolean looked = false; ; ) {
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            var over = refusal;
            if (over != null) {
                throw over;
            }
            if (!running()) {
                return Optional.empty();
            }
            var entry = helping.poll();
            if (entry != null) {
                position = helping.isEmpty() ? behind : entry.cursor();
                return Optional.of(entry);
            }
            long now = time.nanos();
            long pause = due - now;
            long left = deadline - now;
            // A caller without patience gets one look, however much there is that does not fit.
            if (left <= 0 && (looked || pause > 0)) {
                return Optional.empty();
            } else if (pause <= 0) {
                read();
                looked = true;
            } else {
                time.park(Math.min(pause, left));
            }
        }
    }

    private void read() {
        try {
            take(feeds.read(filter, behind, HELPING));
            trouble.worked();
            failures = 0;
            change(State.FOLLOWING, Optional.empty());
        } catch (FlowFabricException e) {
            failed(e);
        }
    }

    private void take(Feeds.Batch batch) {
        helping.addAll(batch.entries());
        behind = batch.next();
        if (helping.isEmpty()) {
            position = behind;
        }
        quiet = batch.entries().isEmpty() && !batch.more() ? quiet + 1 : 0;
        due = time.nanos() + (batch.more() ? 0 : PAUSE.delay(quiet).toNanos());
    }

    private void failed(FlowFabricException e) {
        if (e.isAnswer()) {
            refusal = e;
            stop();
            return;
        }
        metrics.followFailed();
        trouble.failed(e);
        change(State.RECONNECTING, Optional.of(e));
        due = time.nanos() + time.jittered(AGAIN.delay(failures++));
    }

    /** Notes how it is, and since when it is so. What has stopped stays that. */
    private void change(State state, Optional<FlowFabricException> why) {
        var now = time.instant();
        status.updateAndGet(
                before ->
                        switch (before.state) {
                            case STOPPED -> before;
                            case FOLLOWING, RECONNECTING ->
                                    new Status(
                                            state, before.state == state ? before.since : now, why);
                        });
    }

    @Override
    public String toString() {
        return "The follower";
    }
}
