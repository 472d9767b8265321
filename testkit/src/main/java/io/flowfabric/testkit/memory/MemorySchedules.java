package io.flowfabric.testkit.memory;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Tags;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.decision.ScheduleChanges;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.schedule.Firing;
import io.flowfabric.core.schedule.Firings;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.Schedules;

import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.Optional;
import java.util.TreeMap;

/** How schedules are kept, and fired. */
final class MemorySchedules implements Schedules, Firings {
    private final MemoryState world;
    private final MemorySubmissions submissions;
    private final Map<Namespace, NavigableMap<String, ScheduleView>> schedules = new TreeMap<>();

    MemorySchedules(MemoryState world) {
        this.world = world;
        this.submissions = new MemorySubmissions(world);
    }

    @Override
    public List<Answer<ScheduleView>> define(List<Schedule> defined, Attribution by) {
        by.mustBeOperator();
        return ItemAnswers.each(world, "schedules", defined, schedule -> defineOne(schedule, by));
    }

    private ScheduleView defineOne(Schedule schedule, Attribution by) {
        var before = find(schedule.namespace(), schedule.name());
        var after = ScheduleChanges.define(before, schedule, by, world.now());
        return keep(before, after, "define", by);
    }

    @Override
    public ScheduleView pause(Namespace namespace, String schedule, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var before = known(namespace, schedule);
                    var after = ScheduleChanges.pause(before, by, world.now());
                    return keep(Optional.of(before), after, "pause", by);
                });
    }

    @Override
    public ScheduleView resume(Namespace namespace, String schedule, Attribution by) {
        by.mustBeOperator();
        return world.call(
                () -> {
                    var before = known(namespace, schedule);
                    var after = ScheduleChanges.resume(before, by, world.now());
                    return keep(Optional.of(before), after, "resume", by);
                });
    }

    @Override
    public void delete(Namespace namespace, String schedule, Attribution by) {
        by.mustBeOperator();
        world.call(
                () -> {
                    if (in(namespace).remove(schedule) != null) {
                        tell(namespace, schedule, "delete", by);
                    }
                    return schedule;
                });
    }

    @Override
    public ScheduleView describe(Namespace namespace, String schedule) {
        return world.call(() -> known(namespace, schedule));
    }

    @Override
    public Page<ScheduleView> list(Namespace namespace, Cursor after, int max) {
        return world.call(
                () -> {
                    var start = ListingPages.nameAfter(after);
                    return ListingPages.byName(
                            in(namespace).tailMap(start, false).values().stream().toList(),
                            max,
                            view -> view.schedule().name());
                });
    }

    @Override
    public DueSchedules due(int max) {
        Limit.PAGE.checkRange("max", 1, max);
        return world.call(
                () -> {
                    var now = world.now();
                    var ordered =
                            schedules.values().stream()
                                    .flatMap(some -> some.values().stream())
                                    .filter(view -> view.due().isPresent())
                                    .sorted(Comparator.comparing(MemorySchedules::dueTime))
                                    .toList();
                    var due =
                            ordered.stream()
                                    .filter(view -> !dueTime(view).isAfter(now))
                                    .limit(max)
                                    .toList();
                    var next =
                            ordered.stream()
                                    .skip(due.size())
                                    .findFirst()
                                    .map(MemorySchedules::dueTime)
                                    .filter(at -> at.isAfter(now))
                                    .map(at -> Duration.between(now, at));
                    return new DueSchedules(now, due, next);
                });
    }

    private static Instant dueTime(ScheduleView view) {
        return view.due().orElseThrow();
    }

    @Override
    public List<Answer<ScheduleView>> fire(List<Firing> firings) {
        return ItemAnswers.each(world, "firings", firings, this::fire);
    }

    private ScheduleView fire(Firing firing) {
        var before = known(firing.namespace(), firing.schedule());
        ScheduleChanges.mustFit(before, firing, world.now());
        var answers =
                firing.work().stream()
                        .map(work -> ItemAnswers.of(() -> submissions.accept(work.submission())))
                        .toList();
        var after = ScheduleChanges.fired(before, firing, answers, world.now());
        in(firing.namespace()).put(firing.schedule(), after);
        return after;
    }

    private ScheduleView keep(
            Optional<ScheduleView> before, ScheduleView after, String change, Attribution by) {
        var schedule = after.schedule();
        if (!Optional.of(after).equals(before)) {
            in(schedule.namespace()).put(schedule.name(), after);
            tell(schedule.namespace(), schedule.name(), change, by);
        }
        return after;
    }

    private void tell(Namespace namespace, String schedule, String change, Attribution by) {
        world.log.append(
                new Event.ScheduleChange(namespace, schedule, change, by, world.now()), Tags.NONE);
    }

    private ScheduleView known(Namespace namespace, String schedule) {
        return find(namespace, schedule).orElseThrow(() -> new NotFound("schedule", schedule));
    }

    private Optional<ScheduleView> find(Namespace namespace, String schedule) {
        return Optional.ofNullable(in(namespace).get(schedule));
    }

    private NavigableMap<String, ScheduleView> in(Namespace namespace) {
        return schedules.computeIfAbsent(namespace, unknown -> new TreeMap<>());
    }
}
