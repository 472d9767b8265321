package io.flowfabric.core.codec;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.schedule.CatchUp;
import io.flowfabric.core.schedule.Schedule;
import io.flowfabric.core.schedule.ScheduleView;
import io.flowfabric.core.schedule.ScheduleView.FiredOccurrence;
import io.flowfabric.core.schedule.ScheduleView.RefusedOccurrence;
import io.flowfabric.core.schedule.ScheduledWork;
import io.flowfabric.core.schedule.Timing;

import java.time.Duration;
import java.time.Instant;
import java.time.ZoneId;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How schedules are written: an object for what is defined, and one for how it stands. The name and
 * the bytes of the input are not part of them; a store keeps them beside.
 */
public final class ScheduleCodec {
    private ScheduleCodec() {}

    /** Writes what is defined onto what was written before. */
    public static JsonObject write(Schedule schedule, JsonObject before) {
        return new Fields(before)
                .object("timing", Optional.of(schedule.timing()), ScheduleCodec::write)
                .millis("jitter_ms", Optional.of(schedule.jitter()).filter(most -> !most.isZero()))
                .number("catch_up", schedule.catchUp().most(), CatchUp.ONE.most())
                .object("work", Optional.of(schedule.work()), ScheduleCodec::write)
                .done();
    }

    private static JsonObject write(Timing timing, JsonObject before) {
        return switch (timing) {
            case Timing.Cron(var expression, var zone) ->
                    before.without("every_ms")
                            .without("start")
                            .with("cron", Json.of(expression))
                            .with("zone", Json.of(zone.getId()));
            case Timing.Every(var interval, var start) ->
                    before.without("cron")
                            .without("zone")
                            .with("every_ms", Fields.millis(interval))
                            .with("start", millis(start));
        };
    }

    private static JsonObject write(ScheduledWork work, JsonObject before) {
        var tags = JsonObject.EMPTY;
        for (var tag : work.tags().values().entrySet()) {
            tags = tags.with(tag.getKey(), Json.of(tag.getValue()));
        }
        return new Fields(before)
                .text("lane", Optional.of(work.lane().name()))
                .text("kind", Optional.of(work.kind()))
                .text("content_type", Optional.of(work.input().contentType()))
                .text("creator", Optional.of(work.creator()).filter(some -> !some.isEmpty()))
                .set("tags", tags, JsonObject.EMPTY, all -> all)
                .set("policy", PolicyCodec.write(work.policy()), JsonObject.EMPTY, policy -> policy)
                .done();
    }

    /**
     * Reads what is defined.
     *
     * @param input the bytes that each occurrence is given
     * @throws IllegalArgumentException when a field cannot be understood
     */
    public static Schedule read(Namespace namespace, String name, JsonObject json, byte[] input) {
        return new Schedule(
                name,
                timing(json.require("timing", Json::asObject)),
                work(namespace, json.require("work", Json::asObject), input),
                json.get("jitter_ms", Fields::duration).orElse(Duration.ZERO),
                new CatchUp(json.get("catch_up", Json::asInt).orElse(CatchUp.ONE.most())));
    }

    private static Timing timing(JsonObject json) {
        var cron = json.get("cron", Json::asString);
        return cron.isPresent()
                ? new Timing.Cron(
                        cron.get(), json.require("zone", zone -> ZoneId.of(zone.asString())))
                : new Timing.Every(
                        json.require("every_ms", Fields::duration),
                        json.require("start", ScheduleCodec::moment));
    }

    private static ScheduledWork work(Namespace namespace, JsonObject json, byte[] input) {
        var tags = new TreeMap<String, String>();
        json.get("tags", Json::asObject)
                .orElse(JsonObject.EMPTY)
                .fields()
                .forEach((key, value) -> tags.put(key, value.asString()));
        return new ScheduledWork(
                new Lane(namespace, json.require("lane", Json::asString)),
                json.require("kind", Json::asString),
                Payload.of(input, json.require("content_type", Json::asString)),
                json.get("creator", Json::asString).orElse(""),
                new Tags(tags),
                PolicyCodec.read(json.get("policy", Json::asObject).orElse(JsonObject.EMPTY)));
    }

    /** Writes how a schedule stands: everything but what is defined. */
    public static JsonObject standing(ScheduleView view) {
        return JsonObject.EMPTY
                .with("revision", Json.of(view.revision()))
                .with("paused", Json.of(view.paused()))
                .with("passed", millis(view.passed()))
                .with("next", view.next(), ScheduleCodec::millis)
                .with("due", view.due(), ScheduleCodec::millis)
                .with("fired", view.fired(), ScheduleCodec::write)
                .with("refused", view.refused(), ScheduleCodec::write)
                .with("changed", millis(view.changed()))
                .with("actor", Json.of(view.by().actor()))
                .with("reason", Json.of(view.by().reason()));
    }

    private static Json write(FiredOccurrence fired) {
        return JsonObject.EMPTY
                .with("occurrence", millis(fired.occurrence()))
                .with("execution", Json.of(fired.execution().toString()))
                .with("at", millis(fired.at()));
    }

    private static Json write(RefusedOccurrence refused) {
        return JsonObject.EMPTY
                .with("occurrence", millis(refused.occurrence()))
                .with("why", Json.of(refused.why()))
                .with("at", millis(refused.at()));
    }

    /**
     * Reads how a schedule stands.
     *
     * @param schedule what is defined of it
     */
    public static ScheduleView standing(Schedule schedule, JsonObject json) {
        return new ScheduleView(
                schedule,
                json.require("revision", Json::asLong),
                json.require("paused", Json::asBoolean),
                json.require("passed", ScheduleCodec::moment),
                json.get("next", ScheduleCodec::moment),
                json.get("due", ScheduleCodec::moment),
                json.get("fired", ScheduleCodec::fired),
                json.get("refused", ScheduleCodec::refused),
                json.require("changed", ScheduleCodec::moment),
                new Attribution(
                        json.require("actor", Json::asString),
                        json.require("reason", Json::asString)));
    }

    private static FiredOccurrence fired(Json json) {
        var fields = json.asObject();
        return new FiredOccurrence(
                fields.require("occurrence", ScheduleCodec::moment),
                fields.require("execution", id -> ExecutionId.parse(id.asString())),
                fields.require("at", ScheduleCodec::moment));
    }

    private static RefusedOccurrence refused(Json json) {
        var fields = json.asObject();
        return new RefusedOccurrence(
                fields.require("occurrence", ScheduleCodec::moment),
                fields.require("why", Json::asString),
                fields.require("at", ScheduleCodec::moment));
    }

    private static Json millis(Instant moment) {
        return Json.of(moment.toEpochMilli());
    }

    private static Instant moment(Json millis) {
        return Instant.ofEpochMilli(millis.asLong());
    }
}
