package io.flowfabric.core.codec;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.SessionId;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.feed.Event;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.lease.Owner;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.signal.Delivery;
import io.flowfabric.core.state.Situation;
import io.flowfabric.core.state.Transition;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/**
 * Events as keyed JSON.
 *
 * <p>An event is its kind, what many kinds have (when, where, about whom, by whom), and its {@link
 * #details}. A store with columns for the former keeps the latter as one object; a stream or a wire
 * has all of it in one. Times are milliseconds since 1970.
 */
public final class EventCodec {
    private EventCodec() {}

    /** The whole event. */
    public static JsonObject write(Event event) {
        var json =
                JsonObject.EMPTY
                        .with("kind", Json.of(EventKind.of(event).wire()))
                        .with("at", millis(event.at()))
                        .with("namespace", Json.of(event.namespace().name()));
        return (switch (event) {
                    case Event.Step step ->
                            with(json, step.owner(), step.by())
                                    .with("lane", Json.of(step.lane().name()))
                                    .with("execution", Json.of(step.execution().toString()));
                    case Event.StepRecorded recorded ->
                            json.with("lane", Json.of(recorded.lane().name()))
                                    .with("execution", Json.of(recorded.execution().toString()));
                    case Event.SignalReceived received ->
                            with(json, Optional.empty(), Optional.of(received.by()))
                                    .with("lane", Json.of(received.lane().name()))
                                    .with("execution", Json.of(received.execution().toString()));
                    case Event.WaitpointClosed closed ->
                            with(json, Optional.empty(), Optional.of(closed.by()))
                                    .with("lane", Json.of(closed.lane().name()))
                                    .with("execution", Json.of(closed.execution().toString()));
                    case Event.Renewal renewal ->
                            with(json, Optional.of(renewal.owner()), Optional.empty());
                    case Event.MarkedDead death ->
                            with(json, Optional.of(death.owner()), Optional.of(death.by()));
                    case Event.Erased erased ->
                            with(json, Optional.empty(), Optional.of(erased.by()))
                                    .with("lane", Json.of(erased.lane().name()))
                                    .with("execution", Json.of(erased.execution().toString()));
                    case Event.LaneChange change ->
                            with(json, Optional.empty(), Optional.of(change.by()))
                                    .with("lane", Json.of(change.lane().name()));
                    case Event.NamespaceChange change ->
                            with(json, Optional.empty(), Optional.of(change.by()));
                    case Event.QuotaChange change ->
                            with(json, Optional.empty(), Optional.of(change.by()));
                    case Event.BudgetChange change ->
                            with(json, Optional.empty(), Optional.of(change.by()));
                    case Event.ScheduleChange change ->
                            with(json, Optional.empty(), Optional.of(change.by()));
                    case Event.BudgetReached reached -> json;
                    case Event.Drifted drifted -> json;
                    case Event.KeyRotation rotation ->
                            with(json, Optional.empty(), Optional.of(rotation.by()));
                    case Event.FlowChange change -> with(json, Optional.empty(), change.by());
                })
                .withAll(details(event));
    }

    /** What only the kind of the event has. */
    public static JsonObject details(Event event) {
        var json = JsonObject.EMPTY;
        return switch (event) {
            case Event.Step step ->
                    json.with("transition", Words.of(step.transition()))
                            .with("situation", Words.of(step.now()))
                            .with("attempts", Json.of(step.attempts()))
                            .with("epoch", Json.of(step.epoch()))
                            .with("until", step.until(), EventCodec::millis)
                            .with("failure", step.failure(), EventCodec::write);
            case Event.StepRecorded recorded ->
                    json.with("step", Json.of(recorded.name()))
                            .with("attempt", Json.of(recorded.attempt()))
                            .with("epoch", Json.of(recorded.epoch()));
            case Event.SignalReceived received ->
                    json.with("waitpoint", Json.of(received.waitpoint()))
                            .with("signal", Json.of(received.signal()))
                            .with("number", Json.of(received.number()))
                            .with("effect", Words.of(received.effect()));
            case Event.WaitpointClosed closed ->
                    json.with("waitpoint", Json.of(closed.waitpoint()));
            case Event.Renewal renewal -> json.with("until", millis(renewal.until()));
            case Event.MarkedDead death -> json;
            case Event.Erased erased -> json;
            case Event.LaneChange change -> details(change.settings());
            case Event.NamespaceChange change -> details(change.settings());
            case Event.QuotaChange change -> details(change.name(), change.quota());
            case Event.BudgetChange change -> details(change.budget(), change.change());
            case Event.ScheduleChange change -> scheduleDetails(change.schedule(), change.change());
            case Event.BudgetReached reached ->
                    json.with("budget", Json.of(reached.budget()))
                            .with("dimension", Json.of(reached.dimension()))
                            .with("hard", Json.of(reached.hard()))
                            .with("used", Json.of(reached.used()));
            case Event.Drifted drifted -> details(drifted.of(), drifted.said(), drifted.found());
            case Event.KeyRotation rotation -> details(rotation.key(), rotation.grace());
            case Event.FlowChange change ->
                    details(change.flow(), change.kind(), change.step(), change.state());
        };
    }

    /** What an {@link Event.LaneChange} has besides what many kinds have. */
    public static JsonObject details(LaneSettings settings) {
        return JsonObject.EMPTY.with("settings", SettingsCodec.write(settings, JsonObject.EMPTY));
    }

    /** What an {@link Event.NamespaceChange} has besides what many kinds have. */
    public static JsonObject details(NamespaceSettings settings) {
        return JsonObject.EMPTY.with("settings", SettingsCodec.write(settings, JsonObject.EMPTY));
    }

    /** What an {@link Event.QuotaChange} has besides what many kinds have. */
    public static JsonObject details(String name, Optional<Quota> quota) {
        return JsonObject.EMPTY
                .with("quota", Json.of(name))
                .with("settings", quota, one -> SettingsCodec.write(one, JsonObject.EMPTY));
    }

    /** What an {@link Event.ScheduleChange} has besides what many kinds have. */
    public static JsonObject scheduleDetails(String schedule, String change) {
        return JsonObject.EMPTY.with("schedule", Json.of(schedule)).with("change", Json.of(change));
    }

    /** What an {@link Event.BudgetChange} has besides what many kinds have. */
    public static JsonObject details(String budget, String change) {
        return JsonObject.EMPTY.with("budget", Json.of(budget)).with("change", Json.of(change));
    }

    /** What an {@link Event.Drifted} has besides what many kinds have. */
    public static JsonObject details(String count, long said, long found) {
        return JsonObject.EMPTY
                .with("count", Json.of(count))
                .with("said", Json.of(said))
                .with("found", Json.of(found));
    }

    /** What an {@link Event.KeyRotation} has besides what many kinds have. */
    public static JsonObject details(String key, Duration grace) {
        return JsonObject.EMPTY
                .with("key", Json.of(key))
                .with("grace_ms", Json.of(grace.toMillis()));
    }

    /** What an {@link Event.FlowChange} has besides what many kinds have. */
    public static JsonObject details(
            FlowId flow, String kind, Event.FlowStep step, FlowState state) {
        return JsonObject.EMPTY
                .with("flow", Json.of(flow.toString()))
                .with("flow_kind", Json.of(kind))
                .with("step", Words.of(step))
                .with("state", Words.of(state));
    }

    /**
     * Reads a whole event, whatever fields it has besides; nothing when it is of a kind that this
     * program does not have.
     *
     * @throws RuntimeException when it is of a known kind and cannot be read all the same
     */
    public static Optional<Event> read(JsonObject json) {
        return EventKind.named(json.require("kind", Json::asString)).map(kind -> read(kind, json));
    }

    private static Event read(EventKind kind, JsonObject json) {
        var namespace = new Namespace(json.require("namespace", Json::asString));
        var at = json.require("at", EventCodec::moment);
        return switch (kind) {
            case STEP ->
                    new Event.Step(
                            execution(json),
                            lane(namespace, json),
                            json.require("transition", word -> Words.read(Transition.class, word)),
                            json.require("situation", word -> Words.read(Situation.class, word)),
                            at,
                            json.require("attempts", Json::asInt),
                            json.require("epoch", Json::asLong),
                            owner(json),
                            by(json),
                            json.get("until", EventCodec::moment),
                            json.get("failure", failure -> readFailure(failure.asObject())));
            case STEP_RECORDED ->
                    new Event.StepRecorded(
                            execution(json),
                            lane(namespace, json),
                            json.require("step", Json::asString),
                            json.require("attempt", Json::asInt),
                            json.require("epoch", Json::asLong),
                            at);
            case SIGNAL_RECEIVED ->
                    new Event.SignalReceived(
                            execution(json),
                            lane(namespace, json),
                            json.require("waitpoint", Json::asString),
                            json.require("signal", Json::asString),
                            json.require("number", Json::asLong),
                            json.require("effect", word -> Words.read(Delivery.Effect.class, word)),
                            by(json).orElseThrow(),
                            at);
            case WAITPOINT_CLOSED ->
                    new Event.WaitpointClosed(
                            execution(json),
                            lane(namespace, json),
                            json.require("waitpoint", Json::asString),
                            by(json).orElseThrow(),
                            at);
            case HEARTBEAT ->
                    new Event.Renewal(
                            owner(json).orElseThrow(),
                            namespace,
                            at,
                            json.require("until", EventCodec::moment));
            case MARKED_DEAD ->
                    new Event.MarkedDead(
                            owner(json).orElseThrow(), namespace, by(json).orElseThrow(), at);
            case ERASED ->
                    new Event.Erased(
                            execution(json), lane(namespace, json), by(json).orElseThrow(), at);
            case LANE_CHANGED ->
                    new Event.LaneChange(
                            lane(namespace, json),
                            SettingsCodec.lane(json.require("settings", Json::asObject)),
                            by(json).orElseThrow(),
                            at);
            case NAMESPACE_CHANGED ->
                    new Event.NamespaceChange(
                            namespace,
                            SettingsCodec.namespace(json.require("settings", Json::asObject)),
                            by(json).orElseThrow(),
                            at);
            case QUOTA_CHANGED -> {
                var quota = json.require("quota", Json::asString);
                yield new Event.QuotaChange(
                        namespace,
                        quota,
                        json.get("settings", Json::asObject)
                                .map(allows -> SettingsCodec.quota(namespace, quota, allows)),
                        by(json).orElseThrow(),
                        at);
            }
            case BUDGET_CHANGED ->
                    new Event.BudgetChange(
                            namespace,
                            json.require("budget", Json::asString),
                            json.require("change", Json::asString),
                            by(json).orElseThrow(),
                            at);
            case SCHEDULE_CHANGED ->
                    new Event.ScheduleChange(
                            namespace,
                            json.require("schedule", Json::asString),
                            json.require("change", Json::asString),
                            by(json).orElseThrow(),
                            at);
            case BUDGET_REACHED ->
                    new Event.BudgetReached(
                            namespace,
                            json.require("budget", Json::asString),
                            json.require("dimension", Json::asString),
                            json.require("hard", Json::asBoolean),
                            json.require("used", Json::asLong),
                            at);
            case DRIFTED ->
                    new Event.Drifted(
                            namespace,
                            json.require("count", Json::asString),
                            json.require("said", Json::asLong),
                            json.require("found", Json::asLong),
                            at);
            case KEY_ROTATED ->
                    new Event.KeyRotation(
                            json.require("key", Json::asString),
                            Duration.ofMillis(json.require("grace_ms", Json::asLong)),
                            by(json).orElseThrow(),
                            at);
            case FLOW_CHANGED ->
                    new Event.FlowChange(
                            json.require("flow", id -> FlowId.parse(id.asString())),
                            namespace,
                            json.require("flow_kind", Json::asString),
                            json.require("step", word -> Words.read(Event.FlowStep.class, word)),
                            json.require("state", word -> Words.read(FlowState.class, word)),
                            by(json),
                            at);
        };
    }

    private static JsonObject with(
            JsonObject json, Optional<Owner> owner, Optional<Attribution> by) {
        return json.with("session", owner, one -> Json.of(one.session().toString()))
                .with("worker", owner, one -> Json.of(one.worker()))
                .with("instance", owner, one -> Json.of(one.instance()))
                .with("actor", by, one -> Json.of(one.actor()))
                .with("reason", by, one -> Json.of(one.reason()));
    }

    private static Optional<Owner> owner(JsonObject json) {
        return json.get("session", session -> SessionId.parse(session.asString()))
                .map(
                        session ->
                                new Owner(
                                        session,
                                        json.require("worker", Json::asString),
                                        json.require("instance", Json::asString)));
    }

    private static Optional<Attribution> by(JsonObject json) {
        return json.get("actor", Json::asString)
                .map(actor -> new Attribution(actor, json.require("reason", Json::asString)));
    }

    private static ExecutionId execution(JsonObject json) {
        return json.require("execution", id -> ExecutionId.parse(id.asString()));
    }

    private static Lane lane(Namespace namespace, JsonObject json) {
        return new Lane(namespace, json.require("lane", Json::asString));
    }

    private static JsonObject write(Failure failure) {
        return JsonObject.EMPTY
                .with("category", Json.of(failure.category()))
                .with("message", Json.of(failure.message()))
                .with("detail", Json.of(failure.detail()));
    }

    private static Failure readFailure(JsonObject json) {
        return new Failure(
                json.require("category", Json::asString),
                json.get("message", Json::asString).orElse(""),
                json.get("detail", Json::asString).orElse(""));
    }

    private static Json millis(Instant time) {
        return Json.of(time.toEpochMilli());
    }

    private static Instant moment(Json json) {
        return Instant.ofEpochMilli(json.asLong());
    }
}
