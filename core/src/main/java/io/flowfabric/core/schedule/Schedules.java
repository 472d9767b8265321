package io.flowfabric.core.schedule;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Page;

import java.util.List;

/** What is submitted again and again. */
public interface Schedules {
    /**
     * Defines schedules, or changes them, each by itself. One that is as it was before is left
     * alone, so a program may define its schedules whenever it starts. A paused one stays so.
     *
     * <p>Occurrences count from now on; where only the work, the jitter or the catch-up changes,
     * those that were missed stay missed. An engine refuses a cron expression that cannot be read;
     * a store by itself does not look at it.
     */
    List<Answer<ScheduleView>> define(List<Schedule> schedules, Attribution by);

    /**
     * Defines one schedule, or throws why not.
     *
     * @throws io.flowfabric.core.FlowFabricException the refusal that the call with a list would
     *     answer
     */
    default ScheduleView define(Schedule schedule, Attribution by) {
        return define(List.of(schedule), by).getFirst().orThrow();
    }

    /**
     * Lets a schedule fire nothing until it is resumed. What it has submitted is not touched.
     * Pausing again is success.
     *
     * @throws io.flowfabric.core.NotFound when it was not defined
     */
    ScheduleView pause(Namespace namespace, String schedule, Attribution by);

    /**
     * Lets a paused schedule go on, from now on: what came in between is not made up for.
     *
     * @throws io.flowfabric.core.NotFound when it was not defined
     */
    ScheduleView resume(Namespace namespace, String schedule, Attribution by);

    /** Removes a schedule. What it has submitted stays. Deleting again is success. */
    void delete(Namespace namespace, String schedule, Attribution by);

    /**
     * How a schedule stands.
     *
     * @throws io.flowfabric.core.NotFound when it was not defined
     */
    ScheduleView describe(Namespace namespace, String schedule);

    /** The schedules of a namespace, by name. */
    Page<ScheduleView> list(Namespace namespace, Cursor after, int max);
}
