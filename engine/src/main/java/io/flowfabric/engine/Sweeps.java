package io.flowfabric.engine;

import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.store.Maintenance;
import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.core.store.Maintenance.Duty;

import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;

import java.time.Duration;
import java.time.Instant;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Makes happen what happens because time passes.
 *
 * <p>One loop asks the store what is due next, and sleeps until then; it tends to sessions and
 * timers when they are due. Asking is one call, so an idle engine hardly calls. Because a store
 * need not know all that is coming, each chore is also tended to when it has been left alone for
 * some time. Retention has a loop of its own: no work waits for it, and nothing should wait behind
 * it, nor for the work that it makes.
 *
 * <p>Many engines may do so on one store. They take turns at retention. The engine that had the
 * last turn does what is due in time; the others leave it to that one for a moment ({@link
 * Deference}).
 */
final class Sweeps extends Service {
    private static final Logger LOG = QuietLogger.of(Sweeps.class);

    /** The shortest time between two turns: how late a timer may be when many are due. */
    private static final long FLOOR = Duration.ofMillis(10).toNanos();

    /** A store whose next due time has passed, and which does nothing, is asked ever less often. */
    private static final int MOST_DOUBLINGS = 6;

    /** Later than any turn, in milliseconds. */
    private static final long FAR = Duration.ofDays(2).toMillis();

    /** How many times as long as it works retention rests, while there is more to forget. */
    private static final int REST = 2;

    /** The part of a period by which turns are spread. */
    private static final int JITTER = 10;

    private static final Backoff AFTER_FAILURE =
            Backoff.exponential(Duration.ofMillis(100), Duration.ofSeconds(10), 2);

    private final Maintenance maintenance;
    private final Time time;
    private final EngineMetrics metrics;
    private final int limit;
    private final long cap;
    private final Duration retentionEvery;
    private final OutageLog promptTrouble;
    private final OutageLog retentionTrouble;
    private final Loop prompt;
    private final Loop retention;

    /** How long a chore is left alone at most. */
    private final Map<Chore, Long> longest = new EnumMap<>(Chore.class);

    private final Map<Chore, Long> tended = new EnumMap<>(Chore.class);
    private final Deference deference;
    private int fruitless;

    /** Whether the next turn is planned for a time at which something is due. */
    private boolean awaiting;

    private volatile long planned;

    /** Whether this engine had the last turn at retention, as far as it knows. */
    private volatile boolean leading;

    /** Until when it goes on without asking for another one. */
    private long turnEnds;

    private volatile boolean stopping;

    Sweeps(Maintenance maintenance, EngineOptions options, EngineMetrics metrics, Time time) {
        this.maintenance = maintenance;
        this.time = time;
        this.metrics = metrics;
        this.limit = options.sweepLimit();
        this.cap = options.sweepEvery().toNanos();
        this.retentionEvery = options.retentionEvery();
        this.deference = new Deference(time, cap);
        this.promptTrouble = new OutageLog(LOG, time, "The sweeps of this engine");
        this.retentionTrouble = new OutageLog(LOG, time, "The rounds of retention of this engine");
        this.prompt = new Loop("ff-sweeps", time, this::tend, AFTER_FAILURE, promptTrouble::failed);
        this.retention =
                new Loop(
                        "ff-retention",
                        time,
                        this::retain,
                        AFTER_FAILURE,
                        retentionTrouble::failed);
        longest.put(Chore.SESSIONS, 20 * cap);
        longest.put(Chore.TIMERS, 20 * cap);
    }

    /** Hears that something in this process will be due at a time. */
    void expect(Instant at) {
        if (planned - (time.nanos() + until(at)) > FLOOR) {
            prompt.hurry();
        }
    }

    @Override
    protected void begin() {
        planned = time.nanos();
        turnEnds = time.nanos();
        prompt.start();
        retention.start();
    }

    @Override
    protected void end() {
        stopping = true;
        prompt.stop();
        retention.stop();
    }

    @Override
    protected long rested() {
        return rested(List.of(prompt, retention));
    }

    private long tend() {
        boolean awaited = awaiting && time.nanos() - planned >= 0;
        // What is expected meanwhile, and due before a next turn is sure, makes another turn.
        planned = time.nanos() + cap;
        long behind = leading ? 0 : deference.nanos();
        long untilDue =
                maintenance
                        .nextDue(Duration.ofNanos(cap))
                        .map(left -> nanos(left) + behind)
                        .orElse(cap);
        boolean due = untilDue <= 0;
        int processed = sweep(due ? longest.keySet() : neglected());
        if (processed > 0) {
            deference.stepForward();
        } else if (awaited && !due) {
            deference.stepBack();
        }
        long wait;
        if (due && processed == 0) {
            fruitless = Math.min(fruitless + 1, MOST_DOUBLINGS);
            wait = Math.min(cap, FLOOR << fruitless);
            awaiting = true;
        } else {
            fruitless = 0;
            wait = Math.min(cap, Math.max(FLOOR, untilDue));
            awaiting = !due && untilDue < cap;
        }
        promptTrouble.worked();
        planned = time.nanos() + wait;
        return wait;
    }

    private long retain() {
        long begun = time.nanos();
        Maintenance.Round round;
        try {
            if (begun - turnEnds >= 0 && !takeTurn()) {
                retentionTrouble.worked();
                return spread(time, retentionEvery);
            }
            round = tick(Chore.RETENTION);
        } catch (RuntimeException e) {
            metrics.sweepErrors(Chore.RETENTION, 1);
            throw e;
        }
        if (round.errors() > 0) {
            metrics.sweepErrors(Chore.RETENTION, round.errors());
        }
        retentionTrouble.worked();
        boolean more = round.more() && round.processed() > 0;
        // Forgetting may take long, but it never takes more than its share from those who work.
        return more ? Math.max(FLOOR, REST * (time.nanos() - begun)) : spread(time, retentionEvery);
    }

    /** Takes the turn of all engines; what there is to forget is then forgotten in this turn. */
    private boolean takeTurn() {
        leading = maintenance.takeTurn(Duty.RETENTION, retentionEvery);
        if (leading) {
            turnEnds = time.nanos() + retentionEvery.toNanos();
        }
        return leading;
    }

    /** How long an engine waits before it asks for a turn of this period again. */
    static long spread(Time time, Duration every) {
        return every.toNanos() + time.jitter(every.toNanos() / JITTER);
    }

    private Maintenance.Round tick(Chore chore) {
        long begun = time.nanos();
        var round = maintenance.tick(chore, limit);
        metrics.swept(chore, round.processed(), Duration.ofNanos(time.nanos() - begun));
        return round;
    }

    private Set<Chore> neglected() {
        long now = time.nanos();
        var neglected = EnumSet.noneOf(Chore.class);
        longest.forEach(
                (chore, most) -> {
                    var last = tended.get(chore);
                    if (last == null || now - last >= most) {
                        neglected.add(chore);
                    }
                });
        return neglected;
    }

    /** Does rounds of chores in turn, until there is nothing more to do, and says to how many. */
    private int sweep(Set<Chore> chores) {
        int processed = 0;
        RuntimeException failure = null;
        var left = EnumSet.noneOf(Chore.class);
        left.addAll(chores);
        while (!left.isEmpty() && !stopping) {
            for (Chore chore : Set.copyOf(left)) {
                try {
                    var round = tick(chore);
                    processed += round.processed();
                    if (round.errors() > 0) {
                        metrics.sweepErrors(chore, round.errors());
                    }
                    if (!round.more() || round.processed() == 0) {
                        left.remove(chore);
                    }
                } catch (RuntimeException e) {
                    // The other chores are none the worse for it.
                    metrics.sweepErrors(chore, 1);
                    left.remove(chore);
                    failure = first(failure, e);
                }
                tended.put(chore, time.nanos());
            }
        }
        if (failure != null) {
            throw failure;
        }
        return processed;
    }

    private static RuntimeException first(
            @Nullable RuntimeException earlier, RuntimeException later) {
        if (earlier == null) {
            return later;
        }
        earlier.addSuppressed(later);
        return earlier;
    }

    private long until(Instant at) {
        return nanos(Duration.between(time.instant(), at));
    }

    private static long nanos(Duration left) {
        // In milliseconds first: the nanoseconds of a few centuries overflow.
        return Duration.ofMillis(Math.clamp(left.toMillis(), -FAR, FAR)).toNanos();
    }
}
