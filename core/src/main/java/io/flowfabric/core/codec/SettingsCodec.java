package io.flowfabric.core.codec;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.NamespaceSettings;
import io.flowfabric.core.policy.BudgetUse;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;

/**
 * Settings of lanes, of namespaces and of quotas as keyed JSON.
 *
 * <p>Durations are milliseconds. A field that is missing has the default of its type. Each write
 * takes what was there before: the fields that this program does not know stay as they are.
 */
public final class SettingsCodec {
    private SettingsCodec() {}

    /** The settings of a lane. */
    public static JsonObject write(LaneSettings settings, JsonObject before) {
        return before.with("state", Words.of(settings.state()))
                .with("weight", Json.of(settings.weight()))
                .with("ageing", settings.ageing(), SettingsCodec::millis)
                .with("sharing", Json.of(settings.sharing()))
                .with("quotas", Json.ofStrings(settings.quotas()))
                .with("budgets", uses(settings.budgets()));
    }

    /** Reads the settings of a lane. */
    public static LaneSettings lane(JsonObject json) {
        var standard = LaneSettings.DEFAULT;
        return new LaneSettings(
                json.get("state", state -> Words.read(LaneSettings.State.class, state))
                        .orElse(standard.state()),
                json.get("weight", Json::asInt).orElse(standard.weight()),
                json.get("ageing", SettingsCodec::duration),
                json.get("sharing", Json::asBoolean).orElse(standard.sharing()),
                new TreeSet<>(
                        json.get("quotas", names -> names.asList(Json::asString))
                                .orElse(List.of())),
                json.get("budgets", SettingsCodec::uses).orElse(standard.budgets()));
    }

    /** The settings of a namespace. */
    public static JsonObject write(NamespaceSettings settings, JsonObject before) {
        return before.with("retention", millis(settings.retention()));
    }

    /** Reads the settings of a namespace. */
    public static NamespaceSettings namespace(JsonObject json) {
        return json.get("retention", SettingsCodec::duration)
                .map(NamespaceSettings::new)
                .orElse(NamespaceSettings.DEFAULT);
    }

    /** What a quota allows. */
    public static JsonObject write(Quota quota, JsonObject before) {
        return before.with("concurrency", quota.concurrency(), Json::of)
                .with("rate", quota.rate().map(Quota.Rate::max), Json::of)
                .with("window", quota.rate().map(Quota.Rate::window), SettingsCodec::millis);
    }

    /** Reads what a quota allows. */
    public static Quota quota(Namespace namespace, String name, JsonObject json) {
        return new Quota(
                namespace,
                name,
                json.get("concurrency", Json::asInt),
                json.get("rate", Json::asInt)
                        .map(
                                most ->
                                        new Quota.Rate(
                                                most,
                                                json.require("window", SettingsCodec::duration))));
    }

    private static Json uses(SortedSet<BudgetUse> uses) {
        return new JsonArray(uses.stream().map(use -> (Json) use(use)).toList());
    }

    private static JsonObject use(BudgetUse use) {
        var reserve = new LinkedHashMap<String, Json>();
        use.reserve().forEach((dimension, amount) -> reserve.put(dimension, Json.of(amount)));
        return JsonObject.EMPTY
                .with("budget", Json.of(use.budget()))
                .with("reserve", new JsonObject(reserve));
    }

    private static SortedSet<BudgetUse> uses(Json json) {
        return new TreeSet<>(json.asList(use -> readUse(use.asObject())));
    }

    private static BudgetUse readUse(JsonObject json) {
        var reserve = new TreeMap<String, Long>();
        json.get("reserve")
                .map(Json::asObject)
                .orElse(JsonObject.EMPTY)
                .fields()
                .forEach((dimension, amount) -> reserve.put(dimension, amount.asLong()));
        return new BudgetUse(json.require("budget", Json::asString), reserve);
    }

    private static Json millis(Duration duration) {
        return Json.of(duration.toMillis());
    }

    private static Duration duration(Json json) {
        return Duration.ofMillis(json.asLong());
    }
}
