package io.flowfabric.core.decision;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Conflict;
import io.flowfabric.core.Denied;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Text;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Firing.DueWork;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.ScheduleView.FiredOccurrence;
import io.flowfabric.core.schedule.ScheduleView.RefusedOccurrence;
import io.flowfabric.core.submit.Submitted;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** What becomes of a schedule that an operator changes, or that an engine fires. */
public final class ScheduleChanges {
    private ScheduleChanges() {}

    /**
     * A schedule as it is defined now. Where it is as before, the same is returned.
     *
     * @param before how it stood; none when there was none of that name
     */
    public static ScheduleView define(
            Optional<ScheduleView> before, Schedule schedule, Attribution by, Instant now) {
        if (before.isEmpty()) {
            return new ScheduleView(
                    schedule,
                    1,
                    false,
                    now,
                    Optional.empty(),
                    Optional.of(now),
                    Optional.empty(),
                    Optional.empty(),
                    now,
                    by);
        }
        var known = before.get();
        if (known.schedule().equals(schedule)) {
            return known;
        }
        boolean sameTimes = known.schedule().timing().equals(schedule.timing());
        return new ScheduleView(
                schedule,
                known.revision() + 1,
                known.paused(),
                sameTimes ? known.passed() : now,
                Optional.empty(),
                known.paused() ? Optional.empty() : Optional.of(now),
                known.fired(),
                known.refused(),
                now,
                by);
    }

    /** A schedule that fires nothing from now on. */
    public static ScheduleView pause(ScheduleView before, Attribution by, Instant now) {
        return before.paused() ? before : paused(before, true, Optional.empty(), by, now);
    }

    /** A schedule that goes on now. */
    public static ScheduleView resume(ScheduleView before, Attribution by, Instant now) {
        return before.paused() ? paused(before, false, Optional.of(now), by, now) : before;
    }

    private static ScheduleView paused(
            ScheduleView before,
            boolean paused,
            Optional<Instant> due,
            Attribution by,
            Instant now) {
        return new ScheduleView(
                before.schedule(),
                before.revision() + 1,
                paused,
                now,
                Optional.empty(),
                due,
                before.fired(),
                before.refused(),
                now,
                by);
    }

    /**
     * Refuses a firing that was decided by something that is no longer so.
     *
     * @throws Conflict when the schedule has another revision, or is not due
     */
    public static void mustFit(ScheduleView before, Firing firing, Instant now) {
        if (before.revision() != firing.revision()) {
            throw new Conflict(
                    Conflict.Code.STALE_REVISION,
                    firing.schedule(),
                    "The schedule has revision %d by now, not %d: look again whether it is due."
                            .formatted(before.revision(), firing.revision()));
        }
        boolean due = before.due().filter(at -> !at.isAfter(now)).isPresent();
        if (!due) {
            throw new Conflict(
                    Conflict.Code.NOT_DUE,
                    firing.schedule(),
                    "The schedule has no occurrence that is due: look again later.");
        }
    }

    /**
     * A schedule after a firing.
     *
     * @param answers what the submissions of the firing were answered, in their order
     */
    public static ScheduleView fired(
            ScheduleView before, Firing firing, List<Answer<Submitted>> answers, Instant now) {
        var fired = before.fired();
        var refused =
                firing.refusal().map(why -> refusal(firing.passed(), why, now)).or(before::refused);
        for (int n = 0; n < answers.size(); n++) {
            DueWork work = firing.work().get(n);
            switch (answers.get(n)) {
                case Answer.Done<Submitted>(var submitted) ->
                        fired = Optional.of(new FiredOccurrence(work.at(), submitted.id(), now));
                case Answer.Refused<Submitted>(FlowFabricException why) ->
                        refused =
                                Optional.of(
                                        refusal(work.at(), String.valueOf(why.getMessage()), now));
            }
        }
        return new ScheduleView(
                before.schedule(),
                before.revision() + 1,
                before.paused(),
                firing.passed(),
                firing.next().map(Firing.NextOccurrence::at),
                firing.next().map(Firing.NextOccurrence::due),
                fired,
                refused,
                before.changed(),
                before.by());
    }

    private static RefusedOccurrence refusal(Instant occurrence, String why, Instant now) {
        return new RefusedOccurrence(occurrence, Text.mended(why, Limit.MESSAGE_BYTES), now);
    }

    /**
     * Whether a refused submission may be accepted when the firing is repeated as it is: then
     * nothing of it is kept, and an engine fires it again.
     */
    public static boolean isPassing(Answer<Submitted> answer) {
        return answer instanceof Answer.Refused<Submitted>(var why)
                && !(why instanceof Conflict)
                && !(why instanceof Denied)
                && !(why instanceof NotFound)
                && !(why instanceof Invalid);
    }
}
