package io.flowfabric.postgres.internal.schedule;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Attribution;
import io.flowfabric.core.Cursor;
import io.flowfabric.core.FlowFabricException;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Page;
import io.flowfabric.core.codec.EventCodec;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.decision.ListingPages;
import io.flowfabric.core.decision.ScheduleChanges;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.Schedules;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.schedule.ScheduleTable.StoredSchedule;

import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** How schedules are kept. */
public final class PostgresSchedules implements Schedules {
    private final PostgresContext postgres;

    public PostgresSchedules(PostgresContext postgres) {
        this.postgres = postgres;
    }

    @Override
    public List<Answer<ScheduleView>> define(List<Schedule> schedules, Attribution by) {
        by.mustBeOperator();
        Limit.BATCH.checkCount("schedules", schedules.size());
        postgres.db().checkOpen();
        var answers = new ArrayList<Answer<ScheduleView>>(schedules.size());
        for (Schedule schedule : schedules) {
            try {
                answers.add(Answer.done(postgres.db().transaction(tx -> define(tx, schedule, by))));
            } catch (FlowFabricException refusal) {
                answers.add(Answer.refused(refusal));
            }
        }
        return answers;
    }

    private ScheduleView define(Jdbc tx, Schedule schedule, Attribution by) {
        var namespace = schedule.namespace();
        ScheduleTable.named(tx, "hold_schedule", namespace, schedule.name()).run();
        var known = ScheduleTable.find(tx, "lock_schedule", namespace, schedule.name());
        var before = known.map(StoredSchedule::view);
        var after = ScheduleChanges.define(before, schedule, by, now(tx));
        if (before.isEmpty() || !before.get().equals(after)) {
            ScheduleTable.put(
                    tx, after, known.map(StoredSchedule::settings).orElse(JsonObject.EMPTY));
            tell(tx, namespace, schedule.name(), "define", by);
        }
        return after;
    }

    @Override
    public ScheduleView pause(Namespace namespace, String schedule, Attribution by) {
        return change(namespace, schedule, "pause", by, ScheduleChanges::pause);
    }

    @Override
    public ScheduleView resume(Namespace namespace, String schedule, Attribution by) {
        return change(namespace, schedule, "resume", by, ScheduleChanges::resume);
    }

    private interface Change {
        ScheduleView of(ScheduleView before, Attribution by, Instant now);
    }

    private ScheduleView change(
            Namespace namespace, String schedule, String word, Attribution by, Change change) {
        by.mustBeOperator();
        return postgres.db()
                .transaction(
                        tx -> {
                            var before =
                                    ScheduleTable.find(tx, "lock_schedule", namespace, schedule)
                                            .orElseThrow(() -> unknown(schedule))
                                            .view();
                            var after = change.of(before, by, now(tx));
                            if (!after.equals(before)) {
                                ScheduleTable.setStanding(tx, after);
                                tell(tx, namespace, schedule, word, by);
                            }
                            return after;
                        });
    }

    @Override
    public void delete(Namespace namespace, String schedule, Attribution by) {
        by.mustBeOperator();
        postgres.db().<Object>transaction(tx -> delete(tx, namespace, schedule, by));
    }

    private String delete(Jdbc tx, Namespace namespace, String schedule, Attribution by) {
        ScheduleTable.named(tx, "delete_schedule", namespace, schedule)
                .optional(row -> row.text("name"))
                .ifPresent(deleted -> tell(tx, namespace, deleted, "delete", by));
        return schedule;
    }

    @Override
    public ScheduleView describe(Namespace namespace, String schedule) {
        return ScheduleTable.find(postgres.db(), "schedule", namespace, schedule)
                .orElseThrow(() -> unknown(schedule))
                .view();
    }

    @Override
    public Page<ScheduleView> list(Namespace namespace, Cursor after, int max) {
        Limit.PAGE.checkRange("max", 1, max);
        var views =
                postgres.db()
                        .query("list_schedules")
                        .set("namespace", namespace.name())
                        .set("after", ListingPages.nameAfter(after))
                        .set("max", max + 1)
                        .list(row -> ScheduleTable.read(row).view());
        return ListingPages.byName(views, max, view -> view.schedule().name());
    }

    static NotFound unknown(String schedule) {
        return new NotFound("schedule", schedule);
    }

    private Instant now(Jdbc tx) {
        return Instant.ofEpochMilli(postgres.time(tx));
    }

    private void tell(
            Jdbc tx, Namespace namespace, String schedule, String change, Attribution by) {
        tx.query("tell_schedule")
                .set("now", postgres.now())
                .set("namespace", namespace.name())
                .set("actor", by.actor())
                .set("reason", by.reason())
                .set("payload", EventCodec.scheduleDetails(schedule, change).toString())
                .update();
    }
}
