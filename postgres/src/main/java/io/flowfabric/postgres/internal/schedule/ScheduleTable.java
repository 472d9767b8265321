package io.flowfabric.postgres.internal.schedule;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.ScheduleCodec;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.postgres.internal.jdbc.Jdbc;
import io.flowfabric.postgres.internal.jdbc.Query;
import io.flowfabric.postgres.internal.jdbc.Row;

import org.jspecify.annotations.Nullable;

import java.time.Instant;
import java.util.Optional;

/** The rows of schedules. */
final class ScheduleTable {
    private ScheduleTable() {}

    /**
     * A schedule as it is stored.
     *
     * @param settings what is defined, with what this program does not know
     */
    record StoredSchedule(ScheduleView view, JsonObject settings) {}

    /** A schedule, if there is one, by the statement of that name. */
    static Optional<StoredSchedule> find(
            Jdbc db, String statement, Namespace namespace, String name) {
        return named(db, statement, namespace, name).optional(ScheduleTable::read);
    }

    static Query named(Jdbc db, String statement, Namespace namespace, String name) {
        return db.query(statement).set("namespace", namespace.name()).set("name", name);
    }

    static StoredSchedule read(Row row) {
        var name = row.text("name");
        try {
            var settings = Json.parseObject(row.text("settings"));
            var schedule =
                    ScheduleCodec.read(
                            new Namespace(row.text("namespace")),
                            name,
                            settings,
                            row.bytes("input"));
            var standing = Json.parseObject(row.text("standing"));
            return new StoredSchedule(ScheduleCodec.standing(schedule, standing), settings);
        } catch (RuntimeException unreadable) {
            throw StoreFailure.unreadable("The schedule " + name, unreadable);
        }
    }

    static void put(Jdbc tx, ScheduleView view, JsonObject settingsBefore) {
        Schedule schedule = view.schedule();
        named(tx, "put_schedule", schedule.namespace(), schedule.name())
                .set("settings", ScheduleCodec.write(schedule, settingsBefore).toString())
                .set("input", schedule.work().input().bytes())
                .set("standing", ScheduleCodec.standing(view).toString())
                .set("due", due(view))
                .update();
    }

    static void setStanding(Jdbc tx, ScheduleView view) {
        Schedule schedule = view.schedule();
        named(tx, "set_schedule_standing", schedule.namespace(), schedule.name())
                .set("standing", ScheduleCodec.standing(view).toString())
                .set("due", due(view))
                .update();
    }

    private static @Nullable Long due(ScheduleView view) {
        return view.due().map(Instant::toEpochMilli).orElse(null);
    }
}
