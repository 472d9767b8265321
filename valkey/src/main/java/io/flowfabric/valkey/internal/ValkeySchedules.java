package io.flowfabric.valkey.internal;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.Partition;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.decision.ScheduleChanges;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.valkey.internal.GuardedWrites.Draft;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** How schedules are kept: in the main partition of their namespace. */
public final class ValkeySchedules implements Schedules {
    private final ValkeyContext valkey;
    private final GuardedWrites writes;

    public ValkeySchedules(ValkeyContext valkey) {
        this.valkey = valkey;
        this.writes = new GuardedWrites(valkey);
    }

    @Override
    public List<Answer<ScheduleView>> define(List<Schedule> schedules, Attribution by) {
        by.mustBeOperator();
        Limit.BATCH.checkCount("schedules", schedules.size());
        var answers = new ArrayList<Answer<ScheduleView>>(schedules.size());
        var applied = new AppliedParts();
        for (Schedule schedule : schedules) {
            answers.add(applied.change(() -> ValkeyFlows.answered(() -> define(schedule, by))));
        }
        return answers;
    }

    @Override
    public ScheduleView define(Schedule schedule, Attribution by) {
        by.mustBeOperator();
        var namespace = schedule.namespace();
        var name = schedule.name();
        var home = valkey.inUse(namespace).main();
        noteSchedules(home);
        return writes.decide(
                home,
                words(name),
                draft -> {
                    var known = read(draft, namespace, name);
                    var before = known.map(StoredSchedule::view);
                    var after = ScheduleChanges.define(before, schedule, by, draft.now());
                    if (before.isEmpty() || !before.get().equals(after)) {
                        var settings = known.map(StoredSchedule::settings).orElse(JsonObject.EMPTY);
                        draft.set(
                                StoredSchedule.HASH,
                                StoredSchedule.definitionField(namespace, name),
                                StoredSchedule.definition(schedule, settings));
                        draft.add(StoredSchedule.LISTING, 0, nameMember(namespace, name));
                        write(draft, before, after);
                        tell(draft, namespace, name, "define", by);
                    }
                    return after;
                });
    }

    /** Engines look for what is due in partitions that are known to have schedules. */
    private void noteSchedules(Partition home) {
        var number = String.valueOf(home.number());
        if (NameListing.names(valkey, Partitions.FIRST, StoredSchedule.PARTITION_LETTER, "", ALL)
                .contains(number)) {
            return;
        }
        writes.decide(
                Partitions.FIRST,
                "the partitions with schedules",
                draft -> {
                    draft.add(StoredSchedule.LISTING, 0, StoredSchedule.PARTITION_LETTER + number);
                    return number;
                });
    }

    /** More than there are partitions. */
    static final int ALL = Partition.COUNT + 1;

    private interface Change {
        ScheduleView of(ScheduleView before, Attribution by, Instant now);
    }

    @Override
    public ScheduleView pause(Namespace namespace, String schedule, Attribution by) {
        return change(namespace, schedule, "pause", by, ScheduleChanges::pause);
    }

    @Override
    public ScheduleView resume(Namespace namespace, String schedule, Attribution by) {
        return change(namespace, schedule, "resume", by, ScheduleChanges::resume);
    }

    private ScheduleView change(
            Namespace namespace, String schedule, String word, Attribution by, Change change) {
        by.mustBeOperator();
        return writes.decide(
                valkey.home(namespace),
                words(schedule),
                draft -> {
                    var before =
                            read(draft, namespace, schedule)
                                    .orElseThrow(() -> unknown(schedule))
                                    .view();
                    var after = change.of(before, by, draft.now());
                    if (!after.equals(before)) {
                        write(draft, Optional.of(before), after);
                        tell(draft, namespace, schedule, word, by);
                    }
                    return after;
                });
    }

    @Override
    public void delete(Namespace namespace, String schedule, Attribution by) {
        by.mustBeOperator();
        var unused =
                writes.decide(
                        valkey.home(namespace),
                        words(schedule),
                        draft -> {
                            read(draft, namespace, schedule)
                                    .ifPresent(known -> remove(draft, known.view(), by));
                            return schedule;
                        });
    }

    private static void remove(Draft draft, ScheduleView view, Attribution by) {
        var namespace = view.schedule().namespace();
        var name = view.schedule().name();
        StoredSchedule.fields(namespace, name)
                .forEach(field -> draft.remove(StoredSchedule.HASH, field));
        draft.drop(StoredSchedule.LISTING, nameMember(namespace, name));
        StoredSchedule.dueMember(view)
                .ifPresent(place -> draft.drop(StoredSchedule.LISTING, place));
        tell(draft, namespace, name, "delete", by);
    }

    /** Writes how a schedule stands after a change. */
    private static void write(Draft draft, Optional<ScheduleView> before, ScheduleView after) {
        var schedule = after.schedule();
        draft.set(
                StoredSchedule.HASH,
                StoredSchedule.standingField(schedule.namespace(), schedule.name()),
                StoredSchedule.standing(after));
        var left = before.flatMap(StoredSchedule::dueMember);
        var place = StoredSchedule.dueMember(after);
        if (!left.equals(place)) {
            left.ifPresent(one -> draft.drop(StoredSchedule.LISTING, one));
            place.ifPresent(one -> draft.add(StoredSchedule.LISTING, 0, one));
        }
    }

    private static Optional<StoredSchedule> read(Draft draft, Namespace namespace, String name) {
        var definition = StoredSchedule.definitionField(namespace, name);
        var standing = StoredSchedule.standingField(namespace, name);
        var known = draft.read(StoredSchedule.HASH, standing);
        var defined = draft.look(StoredSchedule.HASH, List.of(definition)).getFirst();
        return StoredSchedule.read(namespace, name, List.of(defined, known));
    }

    /** A schedule as it is now, and what time it is there. */
    static Optional<StoredSchedule> find(ValkeyContext valkey, Namespace namespace, String name) {
        var values =
                valkey.read(
                                "read",
                                valkey.home(namespace),
                                out ->
                                        out.list(1)
                                                .list(2)
                                                .text(StoredSchedule.HASH)
                                                .list(
                                                        StoredSchedule.fields(namespace, name),
                                                        Packer::bytes))
                        .answer()
                        .at(0)
                        .list(value -> value.optional(Item::bytes));
        return StoredSchedule.read(namespace, name, values);
    }

    @Override
    public ScheduleView describe(Namespace namespace, String schedule) {
        return find(valkey, namespace, schedule).orElseThrow(() -> unknown(schedule)).view();
    }

    @Override
    public Page<ScheduleView> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var start = ListingPages.nameAfter(after);
        var names = NameListing.of(valkey, StoredSchedule.NAME_LETTER, namespace, start, max + 1);
        var views = new ArrayList<ScheduleView>();
        for (String name : names) {
            find(valkey, namespace, name).map(StoredSchedule::view).ifPresent(views::add);
        }
        return ListingPages.byName(views, max, view -> view.schedule().name());
    }

    private static String nameMember(Namespace namespace, String name) {
        return StoredSchedule.NAME_LETTER + NameListing.whole(namespace, name);
    }

    private static void tell(
            Draft draft, Namespace namespace, String name, String change, Attribution by) {
        draft.tell(new Event.ScheduleChange(namespace, name, change, by, draft.now()));
    }

    static NotFound unknown(String schedule) {
        return new NotFound("schedule", schedule);
    }

    static String words(String schedule) {
        return "the schedule " + schedule;
    }
}
