package io.flowfabric.testing;

import io.flowfabric.core.store.Maintenance.Chore;
import io.flowfabric.engine.Engine;
import io.flowfabric.engine.Service;
import io.flowfabric.engine.Time;
import io.flowfabric.testkit.memory.MemoryStore;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;

/**
 * Moves the time of a test: never while anything has something to do, and never past a moment at
 * which something is due.
 *
 * <p>An engine is at rest when two looks at it in a row give the same number of turns ({@link
 * Service#turnsAtRest}). That is a fact about its state and not about its threads: a thread that
 * was told something and has not woken yet counts as busy. So nothing here depends on how quick the
 * machine is.
 *
 * <p>A way of days is made in steps. Workers send heartbeats in the time of the test, so a step
 * goes half as far as the first session would live without one. Before that come two short ones,
 * for what a worker does soon and not at once: it hears of cancelled work, and gives back what it
 * has no slot for.
 */
final class TimeSkipper {
    private static final Duration[] SHORT_STEPS = {Duration.ofMillis(10), Duration.ofSeconds(1)};
    private static final Duration SHORTEST_STEP = Duration.ofMillis(1);
    private static final int ROUND = 1000;

    /** So many periods of budgets may begin in a row without anything else that is due. */
    private static final int MOST_PERIODS = 100;

    private static final long GLANCE = Duration.ofNanos(20_000).toNanos();

    private final Engine engine;
    private final MemoryStore store;
    private final SkippedTime time;
    private final Supplier<String> whatRuns;
    private final Duration patience;
    private int shortSteps;

    TimeSkipper(
            Engine engine,
            MemoryStore store,
            SkippedTime time,
            Supplier<String> whatRuns,
            Duration patience) {
        this.engine = engine;
        this.store = store;
        this.time = time;
        this.whatRuns = whatRuns;
        this.patience = patience;
    }

    /**
     * Lets everything happen until a goal is reached, and skips the time in which nothing does.
     *
     * @return whether the goal was reached; if not, nothing is due any more
     */
    boolean until(BooleanSupplier goal) throws InterruptedException {
        int periods = 0;
        settle();
        while (!goal.getAsBoolean()) {
            var next = next();
            boolean period = next.isEmpty();
            if (period) {
                next = store.upcoming().budgets();
                if (next.isEmpty() || ++periods > MOST_PERIODS) {
                    return false;
                }
            } else {
                periods = 0;
            }
            shortSteps = 0;
            // What happens on the way may bring other things to do before that.
            for (var to = next; to.isPresent() && to.equals(next); to = period ? to : next()) {
                if (!step(to.get()) || goal.getAsBoolean()) {
                    break;
                }
            }
        }
        return true;
    }

    /** Lets so much time pass, with everything that is due in it. */
    void advance(Duration length) throws InterruptedException {
        var end = time.instant().plus(length);
        settle();
        while (time.instant().isBefore(end)) {
            var next = next().filter(due -> due.isBefore(end)).orElse(end);
            shortSteps = 0;
            for (var to = next; to.equals(next) && step(to); ) {
                to = next().filter(due -> due.isBefore(end)).orElse(end);
            }
        }
    }

    /** Lets everything happen for which no time has to pass. */
    void settle() throws InterruptedException {
        rest();
        while (store.maintenance().nextDue(Duration.ZERO).isPresent()) {
            int processed = 0;
            for (var chore : new Chore[] {Chore.SESSIONS, Chore.TIMERS}) {
                processed += store.maintenance().tick(chore, ROUND).processed();
            }
            rest();
            if (processed == 0) {
                return;
            }
        }
    }

    /** When something happens to work, or a handler goes on that plays something slow. */
    private Optional<Instant> next() {
        var now = time.instant();
        var work = store.upcoming().work();
        long awake = time.untilAwake();
        if (awake == Time.FAR) {
            return work.map(due -> due.isAfter(now) ? due : now.plus(SHORTEST_STEP));
        }
        var handler = now.plusNanos(Math.max(awake, SHORTEST_STEP.toNanos()));
        return work.filter(due -> due.isBefore(handler) && due.isAfter(now))
                .or(() -> Optional.of(handler));
    }

    /** Goes towards a moment, and says whether it is still to come. */
    private boolean step(Instant target) throws InterruptedException {
        var now = time.instant();
        var step = Duration.between(now, target);
        if (shortSteps < SHORT_STEPS.length) {
            step = shorter(step, SHORT_STEPS[shortSteps++]);
        } else {
            var half = store.upcoming().sessions().map(end -> Duration.between(now, end));
            step = shorter(step, half.map(left -> left.dividedBy(2)).orElse(step));
        }
        time.move(step.compareTo(SHORTEST_STEP) < 0 ? SHORTEST_STEP : step);
        settle();
        return time.instant().isBefore(target);
    }

    private static Duration shorter(Duration one, Duration other) {
        return one.compareTo(other) <= 0 ? one : other;
    }

    private void rest() throws InterruptedException {
        long began = System.nanoTime();
        for (long turns = engine.turnsAtRest(); ; ) {
            long again = engine.turnsAtRest();
            if (turns != Service.BUSY && turns == again) {
                return;
            }
            turns = again;
            if (Thread.interrupted()) {
                throw new InterruptedException();
            }
            if (System.nanoTime() - began > patience.toNanos()) {
                throw new NothingHappens(
                        "There is still something running after %s, and time stands still meanwhile: %s. A handler that plays something slow calls TestFabric.sleep(...) for it."
                                .formatted(patience, whatRuns.get()));
            }
            LockSupport.parkNanos(GLANCE);
        }
    }
}
