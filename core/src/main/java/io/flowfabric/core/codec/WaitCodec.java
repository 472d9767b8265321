package io.flowfabric.core.codec;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.signal.Awaiting;
import io.flowfabric.core.signal.Awaiting.Place;
import io.flowfabric.core.signal.Awaiting.Wait;
import io.flowfabric.core.signal.Condition;
import io.flowfabric.core.signal.Condition.Distinct;
import io.flowfabric.core.signal.Resumption;
import io.flowfabric.core.signal.SignalHead;
import io.flowfabric.core.signal.Suspension;

import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;

/** How waits are written: what an execution waits for, and how a wait has ended. */
public final class WaitCodec {
    private static final String JSON = "application/json";

    /** The words of a signal in the step that it counts in; each of its names may be escaped. */
    private static final long HEAD_BYTES = 80 + 3 * 2 * Limit.NAME_BYTES.max();

    private WaitCodec() {}

    private static final Set<String> FIELDS =
            Set.of("replays", "opened", "received", "places", "wait");
    private static final Set<String> PLACE_FIELDS =
            Set.of("number", "opened", "expires", "received", "closed");
    private static final Set<String> WAIT_FIELDS =
            Set.of("name", "left", "waitpoints", "behaviour", "resume_delay_ms", "counted");

    /**
     * Writes what is remembered of an execution that waits, onto what was written before where that
     * has more than this program knows.
     */
    public static JsonObject write(Awaiting awaiting) {
        var before =
                awaiting.written().isEmpty()
                        ? JsonObject.EMPTY
                        : Json.parseObject(awaiting.written());
        var placesBefore = Fields.object(before, "places");
        var places = new LinkedHashMap<String, Json>();
        awaiting.places()
                .forEach(
                        (name, place) ->
                                places.put(name, write(place, Fields.object(placesBefore, name))));
        return new Fields(before)
                .number("replays", awaiting.replays(), 0)
                .number("opened", awaiting.opened(), 0)
                .number("received", awaiting.received(), 0)
                .set("places", new JsonObject(places), JsonObject.EMPTY, json -> json)
                .object("wait", awaiting.pending(), WaitCodec::write)
                .done();
    }

    /** Reads it. */
    public static Awaiting awaiting(JsonObject json) {
        var places = new TreeMap<String, Place>();
        boolean known = isKnown(json, FIELDS);
        for (var place : Fields.object(json, "places").fields().entrySet()) {
            var fields = place.getValue().asObject();
            known = known && isKnown(fields, PLACE_FIELDS);
            places.put(place.getKey(), place(fields));
        }
        known = known && isKnown(Fields.object(json, "wait"), WAIT_FIELDS);
        return new Awaiting(
                json.get("replays", Json::asInt).orElse(0),
                json.get("opened", Json::asLong).orElse(0L),
                json.get("received", Json::asLong).orElse(0L),
                places,
                json.get("wait", wait -> wait(wait.asObject())),
                known ? "" : json.toString());
    }

    private static boolean isKnown(JsonObject json, Set<String> fields) {
        return fields.containsAll(json.fields().keySet());
    }

    /** What was written of another waitpoint of the same name says nothing of this one. */
    private static JsonObject write(Place place, JsonObject before) {
        boolean same = before.get("number", Json::asLong).orElse(0L) == place.number();
        return new Fields(same ? before : JsonObject.EMPTY)
                .number("number", place.number(), 0)
                .number("opened", place.opened().toEpochMilli(), 0)
                .number("expires", place.expires().map(Instant::toEpochMilli))
                .number("received", place.received(), 0)
                .set("closed", place.closed(), false, Json::of)
                .done();
    }

    private static Place place(JsonObject json) {
        return new Place(
                json.get("number", Json::asLong).orElse(0L),
                Instant.ofEpochMilli(json.get("opened", Json::asLong).orElse(0L)),
                json.get("expires", Json::asLong).map(Instant::ofEpochMilli),
                json.get("received", Json::asLong).orElse(0L),
                json.get("closed", Json::asBoolean).orElse(false));
    }

    /** What was written of another wait says nothing of this one. */
    private static JsonObject write(Wait wait, JsonObject before) {
        boolean same = before.get("name", Json::asString).filter(wait.name()::equals).isPresent();
        return new Fields(same ? before : JsonObject.EMPTY)
                .text("name", Optional.of(wait.name()))
                .set("left", Optional.of(wait.left()), WaitCodec::write)
                .list("waitpoints", wait.waitpoints(), Json::of)
                .word("behaviour", wait.behaviour(), Suspension.Behaviour.FAIL)
                .set("resume_delay_ms", wait.resumeDelay(), Duration.ZERO, Fields::millis)
                .list("counted", wait.counted(), WaitCodec::write)
                .done();
    }

    private static Wait wait(JsonObject json) {
        return new Wait(
                json.require("name", Json::asString),
                json.require("left", WaitCodec::condition),
                json.get("waitpoints", list -> list.asList(Json::asString)).orElse(List.of()),
                json.get("behaviour", Fields.word(Suspension.Behaviour.class))
                        .orElse(Suspension.Behaviour.FAIL),
                json.get("resume_delay_ms", Fields::duration).orElse(Duration.ZERO),
                heads(json, "counted"));
    }

    /** Writes a condition, with what of it is used up. */
    public static Json write(Condition condition) {
        return switch (condition) {
            case Condition.Met met -> Json.of("met");
            case Condition.Never never -> Json.of("never");
            case Condition.One one ->
                    new Fields(JsonObject.EMPTY)
                            .text("at", Optional.of(one.waitpoint()))
                            .text("signal", one.signal())
                            .done();
            case Condition.All all ->
                    JsonObject.EMPTY.with(
                            "all",
                            new JsonArray(
                                    all.conditions().stream().map(WaitCodec::write).toList()));
            case Condition.AtLeast some ->
                    new Fields(JsonObject.EMPTY)
                            .set("at_least", Optional.of((long) some.count()), Json::of)
                            .word("different", some.by(), Distinct.SIGNALS)
                            .list("waitpoints", some.waitpoints(), Json::of)
                            .text("signal", some.signal())
                            .list("seen", some.seen(), Json::of)
                            .done();
        };
    }

    /**
     * Reads a condition.
     *
     * @throws IllegalArgumentException when this program has no such condition
     */
    public static Condition condition(Json json) {
        if (json instanceof Json.JsonString word) {
            return switch (word.value()) {
                case "met" -> new Condition.Met();
                case "never" -> Condition.none();
                default -> throw new IllegalArgumentException("there is no condition " + word);
            };
        }
        var fields = json.asObject();
        if (fields.get("all").isPresent()) {
            return new Condition.All(
                    fields.require("all", list -> list.asList(WaitCodec::condition)));
        }
        var signal = fields.get("signal", Json::asString);
        return fields.get("at_least", Json::asInt)
                .<Condition>map(
                        count ->
                                new Condition.AtLeast(
                                        count,
                                        fields.get("different", Fields.word(Distinct.class))
                                                .orElse(Distinct.SIGNALS),
                                        fields.require(
                                                "waitpoints", list -> list.asList(Json::asString)),
                                        signal,
                                        new TreeSet<>(
                                                fields.get(
                                                                "seen",
                                                                list -> list.asList(Json::asString))
                                                        .orElse(List.of()))))
                .orElseGet(() -> new Condition.One(fields.require("at", Json::asString), signal));
    }

    /** Writes how a suspension ended, as the content of its step. */
    public static Payload write(Resumption resumption) {
        var json =
                new Fields(JsonObject.EMPTY)
                        .set("by", Optional.of(resumption.by()), Words::of)
                        .list("signals", resumption.signals(), WaitCodec::write)
                        .done();
        return Payload.of(json.toString().getBytes(StandardCharsets.UTF_8), JSON);
    }

    /** How large the step is at most that says how a wait has ended, with its name and type. */
    public static long mostBytes(Suspension suspension) {
        // The end of its time may be a signal, too.
        return 100 + Limit.NAME_BYTES.max() + HEAD_BYTES * (suspension.condition().signals() + 1);
    }

    /**
     * Reads how a suspension ended from the content of its step.
     *
     * @throws IllegalArgumentException when the step is of something else
     */
    public static Resumption resumption(Payload content) {
        var json = Json.parseObject(new String(content.bytes(), StandardCharsets.UTF_8));
        return new Resumption(
                json.require("by", Fields.word(Resumption.Cause.class)), heads(json, "signals"));
    }

    private static JsonObject write(SignalHead head) {
        return JsonObject.EMPTY
                .with("number", Json.of(head.number()))
                .with("waitpoint", Json.of(head.waitpoint()))
                .with("name", Json.of(head.name()))
                .with("actor", Json.of(head.actor()));
    }

    private static List<SignalHead> heads(JsonObject json, String name) {
        return json.get(name, list -> list.asList(head -> head(head.asObject()))).orElse(List.of());
    }

    private static SignalHead head(JsonObject json) {
        return new SignalHead(
                json.require("number", Json::asLong),
                json.require("waitpoint", Json::asString),
                json.require("name", Json::asString),
                json.require("actor", Json::asString));
    }
}
