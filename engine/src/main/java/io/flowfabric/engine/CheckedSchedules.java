package io.flowfabric.engine;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.Schedules;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;

/**
 * The schedules of a store, with expressions that can be read. What is defined or resumed here is
 * fired in time by this engine, whatever others do.
 */
final class CheckedSchedules implements Schedules {
    private final Schedules schedules;
    private final Runnable changed;

    /**
     * @param changed called when a schedule may be due earlier than before
     */
    CheckedSchedules(Schedules schedules, Runnable changed) {
        this.schedules = schedules;
        this.changed = changed;
    }

    @Override
    public List<Answer<ScheduleView>> define(List<Schedule> defined, Attribution by) {
        var sound = new ArrayList<Schedule>();
        var refusals = new HashMap<Integer, Answer<ScheduleView>>();
        for (int n = 0; n < defined.size(); n++) {
            try {
                ScheduleTimes.check(defined.get(n));
                sound.add(defined.get(n));
            } catch (Invalid unreadable) {
                refusals.put(n, Answer.refused(unreadable));
            }
        }
        var told = schedules.define(sound, by).iterator();
        changed.run();
        return IntStream.range(0, defined.size())
                .mapToObj(n -> Optional.ofNullable(refusals.get(n)).orElseGet(told::next))
                .toList();
    }

    @Override
    public ScheduleView pause(Namespace namespace, String schedule, Attribution by) {
        return schedules.pause(namespace, schedule, by);
    }

    @Override
    public ScheduleView resume(Namespace namespace, String schedule, Attribution by) {
        var resumed = schedules.resume(namespace, schedule, by);
        changed.run();
        return resumed;
    }

    @Override
    public void delete(Namespace namespace, String schedule, Attribution by) {
        schedules.delete(namespace, schedule, by);
    }

    @Override
    public ScheduleView describe(Namespace namespace, String schedule) {
        return schedules.describe(namespace, schedule);
    }

    @Override
    public Page<ScheduleView> list(Namespace namespace, Cursor after, int max) {
        return schedules.list(namespace, after, max);
    }
}
