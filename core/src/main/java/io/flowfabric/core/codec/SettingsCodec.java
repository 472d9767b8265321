package io.flowfabric.core.codec;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.Budget.Bounds;
import io.flowfabric.core.admission.Budget.Enforcement;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;

import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How lanes, namespaces, quotas and budgets are written: an object with the fields that differ from
 * their defaults. Names are not part of it; they are what the object is found by.
 *
 * <p>Each writer takes what was written before, and keeps the fields of it that this program does
 * not know, also inside of what it names: a setting that a newer program made survives a change
 * that an older one makes.
 */
public final class SettingsCodec {
    private SettingsCodec() {}

    /** Writes the settings of a lane onto what was written before. */
    public static JsonObject write(LaneSettings lane, JsonObject before) {
        var otherwise = LaneSettings.DEFAULT;
        return new Fields(before)
                .word("state", lane.state(), otherwise.state())
                .number("weight", lane.weight(), otherwise.weight())
                .millis("ageing_ms", lane.ageing())
                .set("sharing", lane.sharing(), otherwise.sharing(), Json::of)
                .list("quotas", lane.quotas(), Json::of)
                .objects("budgets", "budget", lane.budgets(), PolicyCodec::write)
                .done();
    }

    /** Reads the settings of a lane. */
    public static LaneSettings lane(JsonObject json) {
        var otherwise = LaneSettings.DEFAULT;
        return new LaneSettings(
                json.get("state", Fields.word(LaneSettings.State.class)).orElse(otherwise.state()),
                json.get("weight", Json::asInt).orElse(otherwise.weight()),
                json.get("ageing_ms", Fields::duration),
                json.get("sharing", Json::asBoolean).orElse(otherwise.sharing()),
                PolicyCodec.sorted(json, "quotas", Json::asString),
                PolicyCodec.sorted(json, "budgets", PolicyCodec::budgetUse));
    }

    /** Writes the settings of a namespace onto what was written before. */
    public static JsonObject write(NamespaceSettings namespace, JsonObject before) {
        var otherwise = NamespaceSettings.DEFAULT;
        return new Fields(before)
                .set("retention_ms", namespace.retention(), otherwise.retention(), Fields::millis)
                .done();
    }

    /** Reads the settings of a namespace. */
    public static NamespaceSettings namespace(JsonObject json) {
        return new NamespaceSettings(
                json.get("retention_ms", Fields::duration)
                        .orElse(NamespaceSettings.DEFAULT.retention()));
    }

    /** Writes what a quota allows onto what was written before. */
    public static JsonObject write(Quota quota, JsonObject before) {
        return new Fields(before)
                .number("concurrency", quota.concurrency())
                .object("rate", quota.rate(), SettingsCodec::write)
                .done();
    }

    private static JsonObject write(Quota.Rate rate, JsonObject before) {
        return before.with("max", Json.of(rate.max()))
                .with("window_ms", Fields.millis(rate.window()));
    }

    /** Reads what a quota allows. */
    public static Quota quota(Namespace namespace, String name, JsonObject json) {
        return new Quota(
                namespace,
                name,
                json.get("concurrency", Json::asInt),
                json.get("rate", SettingsCodec::rate));
    }

    private static Quota.Rate rate(Json json) {
        var fields = json.asObject();
        return new Quota.Rate(
                fields.require("max", Json::asInt), fields.require("window_ms", Fields::duration));
    }

    /** Writes what a budget allows onto what was written before. */
    public static JsonObject write(Budget budget, JsonObject before) {
        return new Fields(before)
                .object("dimensions", Optional.of(budget.dimensions()), SettingsCodec::write)
                .millis("period_ms", budget.period())
                .word("enforcement", budget.enforcement(), Enforcement.STOP)
                .text("parent", budget.parent())
                .done();
    }

    private static JsonObject write(Map<String, Bounds> dimensions, JsonObject before) {
        var json = JsonObject.EMPTY;
        for (var dimension : dimensions.entrySet()) {
            var name = dimension.getKey();
            json = json.with(name, write(dimension.getValue(), Fields.object(before, name)));
        }
        return json;
    }

    private static JsonObject write(Bounds bounds, JsonObject before) {
        return new Fields(before)
                .number("soft", bounds.soft())
                .number("hard", bounds.hard())
                .done();
    }

    /** Reads what a budget allows. */
    public static Budget budget(Namespace namespace, String name, JsonObject json) {
        var dimensions = new TreeMap<String, Bounds>();
        json.require("dimensions", Json::asObject)
                .fields()
                .forEach((dimension, bounds) -> dimensions.put(dimension, bounds(bounds)));
        return new Budget(
                namespace,
                name,
                dimensions,
                json.get("period_ms", Fields::duration),
                json.get("enforcement", Fields.word(Enforcement.class)).orElse(Enforcement.STOP),
                json.get("parent", Json::asString));
    }

    private static Bounds bounds(Json json) {
        var fields = json.asObject();
        return new Bounds(fields.get("soft", Json::asLong), fields.get("hard", Json::asLong));
    }
}
