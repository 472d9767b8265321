package io.flowfabric.engine;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.decision.ScheduledOccurrence;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Firing.DueWork;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.Timing;
import io.flowfabric.core.store.Chunks;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;

/** What a schedule that is due submits now, and when it is due next. */
final class ScheduleTimes {
    /**
     * One that is fired later than this was missed: no engine ran. What is a little late was not,
     * and is fired also where nothing is made up for.
     */
    static final Duration PUNCTUAL = Duration.ofMinutes(1);

    /** So many occurrences are looked at in one go; a long outage takes several. */
    private static final int LOOKED_AT = 1000;

    /** So many are submitted in one commit. */
    private static final int TOGETHER = 16;

    private ScheduleTimes() {}

    /**
     * Refuses a schedule that never could be fired.
     *
     * @throws Invalid when its expression cannot be read
     */
    static void check(Schedule schedule) {
        var unused = times(schedule.timing());
    }

    /** What to do with a schedule that a store says is due. */
    static Firing firing(ScheduleView view, Instant now) {
        try {
            var times = times(view.schedule().timing());
            return view.next().isEmpty()
                    ? firing(view, List.of(), view.passed(), times)
                    : fire(view, view.next().get(), now, times);
        } catch (Invalid unreadable) {
            return new Firing(
                    view.schedule().namespace(),
                    view.schedule().name(),
                    view.revision(),
                    List.of(),
                    view.passed(),
                    Optional.empty(),
                    Optional.of(String.valueOf(unreadable.getMessage())));
        }
    }

    private static Firing fire(
            ScheduleView view,
            Instant first,
            Instant now,
            Function<Instant, Optional<Instant>> times) {
        var schedule = view.schedule();
        var due = new ArrayList<ScheduledOccurrence>();
        var next = Optional.of(new ScheduledOccurrence(schedule, first));
        while (due.size() < LOOKED_AT && next.filter(it -> !it.due().isAfter(now)).isPresent()) {
            due.add(next.get());
            next = times.apply(next.get().at()).map(at -> new ScheduledOccurrence(schedule, at));
        }
        if (due.isEmpty()) {
            return firing(view, List.of(), view.passed(), times);
        }
        int most = schedule.catchUp().most();
        boolean punctual = Duration.between(due.getLast().due(), now).compareTo(PUNCTUAL) <= 0;
        int from = Math.max(0, due.size() - Math.max(most, punctual ? 1 : 0));
        if (due.size() == LOOKED_AT) {
            // There may be more: those that are too old in any case are left out first.
            return firing(view, List.of(), due.get(Math.max(from, 1) - 1).at(), times);
        }
        var work =
                Chunks.of(
                        due.subList(from, due.size()).stream()
                                .map(ScheduledOccurrence::asDue)
                                .toList(),
                        TOGETHER,
                        (DueWork one) -> one.submission().input().size());
        // What does not fit into one commit is due at once, and comes with the next.
        var some = work.isEmpty() ? List.<DueWork>of() : work.getFirst();
        var passed = some.isEmpty() ? due.getLast().at() : some.getLast().at();
        return firing(view, some, passed, times);
    }

    private static Firing firing(
            ScheduleView view,
            List<DueWork> work,
            Instant passed,
            Function<Instant, Optional<Instant>> times) {
        var schedule = view.schedule();
        return new Firing(
                schedule.namespace(),
                schedule.name(),
                view.revision(),
                work,
                passed,
                times.apply(passed).map(at -> new ScheduledOccurrence(schedule, at).asNext()),
                Optional.empty());
    }

    /** The first occurrence after a moment. */
    private static Function<Instant, Optional<Instant>> times(Timing timing) {
        return switch (timing) {
            case Timing.Cron cron -> CronTimes.of(cron)::after;
            case Timing.Every(var interval, var start) ->
                    moment -> Optional.of(after(moment, start, interval.toMillis()));
        };
    }

    private static Instant after(Instant moment, Instant start, long interval) {
        if (moment.isBefore(start)) {
            return start;
        }
        long passed = (moment.toEpochMilli() - start.toEpochMilli()) / interval;
        return start.plusMillis((passed + 1) * interval);
    }
}
