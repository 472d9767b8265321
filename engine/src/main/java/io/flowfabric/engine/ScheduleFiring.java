package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.ScheduleView;

import org.slf4j.Logger;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Fires schedules. One loop asks the store which are due, decides what they submit, and sleeps
 * until the next one is due, or for {@link #LOOK_EVERY} where none is known.
 *
 * <p>Many engines do so on one store. They may decide the same at once, and the store takes one of
 * them.
 */
final class ScheduleFiring extends Service {
    private static final Logger LOG = QuietLogger.of(ScheduleFiring.class);

    /**
     * How often it looks although nothing is due: a schedule that a program without an engine
     * defines is late by no more than that.
     */
    static final Duration LOOK_EVERY = Duration.ofSeconds(5);

    /** How many schedules are seen to in one turn: each may have an input of a mebibyte. */
    private static final int MOST = 64;

    private static final Backoff AFTER_FAILURE =
            Backoff.exponential(Duration.ofMillis(500), Duration.ofSeconds(30), 2);

    private final Firings firings;
    private final OutageLog trouble;
    private final Loop loop;

    ScheduleFiring(Firings firings, Time time) {
        this.firings = firings;
        this.trouble = new OutageLog(LOG, time, "The firings of schedules by this engine");
        this.loop = new Loop("ff-schedules", time, this::turn, AFTER_FAILURE, trouble::failed);
    }

    /** Looks now: there may be a schedule that is due earlier than what was known. */
    void hurry() {
        loop.hurry();
    }

    @Override
    protected void begin() {
        loop.start();
    }

    @Override
    protected void end() {
        loop.stop();
    }

    private long turn() {
        var due = firings.due(MOST);
        if (due.schedules().isEmpty()) {
            trouble.worked();
            return Math.min(due.next().map(Time::nanos).orElse(Time.FAR), LOOK_EVERY.toNanos());
        }
        var decided = new ArrayList<Firing>();
        for (ScheduleView view : due.schedules()) {
            try {
                decided.add(ScheduleTimes.firing(view, due.now()));
            } catch (RuntimeException bad) {
                // One that cannot be computed keeps none of the others waiting.
                trouble.failed(bad);
            }
        }
        int fired = told(decided, firings.fire(decided));
        if (fired == 0) {
            // Others were faster, or it is the same trouble for all: not at once again.
            return LOOK_EVERY.toNanos() / MOST;
        }
        trouble.worked();
        return 0;
    }

    /** Tells of what was refused, and says how many were not. */
    private static int told(List<Firing> decided, List<Answer<ScheduleView>> answers) {
        int fired = 0;
        for (int n = 0; n < answers.size(); n++) {
            switch (answers.get(n)) {
                case Answer.Done<ScheduleView> done -> fired++;
                case Answer.Refused<ScheduleView>(FlowFabricException why) ->
                        tell(decided.get(n), why);
            }
        }
        return fired;
    }

    private static void tell(Firing firing, FlowFabricException why) {
        if (why instanceof Conflict || why instanceof NotFound) {
            LOG.debug("Another engine, or an operator, was faster with {}", firing.schedule(), why);
        } else {
            LOG.warn(
                    "The schedule {} could not be fired; it is tried again",
                    firing.schedule(),
                    why);
        }
    }

    @Override
    public String toString() {
        return "The schedules";
    }
}
