package io.flowfabric.core.codec;

import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.policy.Backoff;
import io.flowfabric.core.policy.BudgetUse;
import io.flowfabric.core.policy.Capabilities;
import io.flowfabric.core.policy.Due;
import io.flowfabric.core.policy.Policy;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.core.policy.Retry;

import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.SortedSet;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.function.Function;

/**
 * How a policy is written: an object with the fields that differ from {@link Policy#DEFAULT}.
 *
 * <p>A policy is frozen, so a store keeps what it was given and never writes it again; a field that
 * a newer program added stays in it.
 */
public final class PolicyCodec {
    private static final Policy DEFAULT = Policy.DEFAULT;

    private PolicyCodec() {}

    /** Writes a policy. */
    public static JsonObject write(Policy policy) {
        return new Fields(JsonObject.EMPTY)
                .number("priority", policy.priority(), DEFAULT.priority())
                .set("start", policy.start(), DEFAULT.start(), due -> Json.of(write(due)))
                .set("deadline", policy.deadline(), due -> Json.of(write(due)))
                .set("retry", policy.retry(), DEFAULT.retry(), PolicyCodec::write)
                .millis("attempt_timeout_ms", policy.attemptTimeout())
                .millis("stall_timeout_ms", policy.stallTimeout())
                .list("needs", policy.needs().words(), Json::of)
                .list("quotas", policy.quotas(), PolicyCodec::write)
                .list("budgets", policy.budgets(), PolicyCodec::write)
                .number("max_reclaims", policy.maxReclaims(), DEFAULT.maxReclaims())
                .number("max_replays", policy.maxReplays(), DEFAULT.maxReplays())
                .millis("retention_ms", policy.retention())
                .text("share", policy.share())
                .done();
    }

    /**
     * Reads a policy; fields that are missing have their defaults.
     *
     * @throws IllegalArgumentException when a field is there and cannot be understood
     */
    public static Policy read(JsonObject json) {
        return new Policy(
                json.get("priority", Json::asInt).orElse(DEFAULT.priority()),
                json.get("start", PolicyCodec::due).orElse(DEFAULT.start()),
                json.get("deadline", PolicyCodec::due),
                json.get("retry", PolicyCodec::retry).orElse(DEFAULT.retry()),
                json.get("attempt_timeout_ms", Fields::duration),
                json.get("stall_timeout_ms", Fields::duration),
                Capabilities.of(sorted(json, "needs", Json::asString)),
                sorted(json, "quotas", PolicyCodec::quotaUse),
                sorted(json, "budgets", PolicyCodec::budgetUse),
                json.get("max_reclaims", Json::asInt).orElse(DEFAULT.maxReclaims()),
                json.get("max_replays", Json::asInt).orElse(DEFAULT.maxReplays()),
                json.get("retention_ms", Fields::duration),
                json.get("share", Json::asString));
    }

    static <T extends Comparable<T>> SortedSet<T> sorted(
            JsonObject json, String name, Function<Json, T> reader) {
        Collection<T> items = json.get(name, list -> list.asList(reader)).orElse(List.of());
        return new TreeSet<>(items);
    }

    /** A moment as it was asked for: {@code after 5000}, {@code at 1767254400000}. */
    public static String write(Due due) {
        return switch (due) {
            case Due.After(var delay) -> "after " + delay.toMillis();
            case Due.At(var time) -> "at " + time.toEpochMilli();
        };
    }

    /**
     * Reads a moment.
     *
     * @throws IllegalArgumentException when the text is none
     */
    public static Due readDue(String text) {
        int space = text.indexOf(' ');
        long millis = Long.parseLong(text, space + 1, text.length(), 10);
        return switch (text.substring(0, Math.max(space, 0))) {
            case "after" -> Due.in(Duration.ofMillis(millis));
            case "at" -> Due.at(Instant.ofEpochMilli(millis));
            default -> throw new IllegalArgumentException("this is no moment: " + text);
        };
    }

    private static Due due(Json json) {
        return readDue(json.asString());
    }

    private static Json write(Retry retry) {
        var otherwise = Retry.DEFAULT;
        return new Fields(JsonObject.EMPTY)
                .number("max", retry.max(), otherwise.max())
                .set("backoff", retry.backoff(), otherwise.backoff(), PolicyCodec::write)
                .set("jitter", retry.jitter(), otherwise.jitter(), Json::of)
                .list("categories", retry.categories(), Json::of)
                .done();
    }

    private static Retry retry(Json json) {
        var fields = json.asObject();
        var otherwise = Retry.DEFAULT;
        return new Retry(
                fields.get("max", Json::asInt).orElse(otherwise.max()),
                fields.get("backoff", PolicyCodec::backoff).orElse(otherwise.backoff()),
                fields.get("jitter", Json::asDouble).orElse(otherwise.jitter()),
                sorted(fields, "categories", Json::asString));
    }

    private static Json write(Backoff backoff) {
        return switch (backoff) {
            case Backoff.Fixed(var delay) ->
                    JsonObject.EMPTY
                            .with("kind", Json.of("fixed"))
                            .with("delay_ms", Fields.millis(delay));
            case Backoff.Exponential(var initial, var longest, var multiplier) ->
                    JsonObject.EMPTY
                            .with("kind", Json.of("exponential"))
                            .with("initial_ms", Fields.millis(initial))
                            .with("longest_ms", Fields.millis(longest))
                            .with("multiplier", Json.of(multiplier));
        };
    }

    private static Backoff backoff(Json json) {
        var fields = json.asObject();
        var kind = fields.require("kind", Json::asString);
        return switch (kind) {
            case "fixed" -> Backoff.fixed(fields.require("delay_ms", Fields::duration));
            case "exponential" ->
                    Backoff.exponential(
                            fields.require("initial_ms", Fields::duration),
                            fields.require("longest_ms", Fields::duration),
                            fields.require("multiplier", Json::asDouble));
            default -> throw new IllegalArgumentException("this is no backoff: " + kind);
        };
    }

    /** A quota that work counts against. */
    public static Json write(QuotaUse use) {
        return JsonObject.EMPTY
                .with("quota", Json.of(use.quota()))
                .with("key", use.key(), Json::of);
    }

    /** Reads a quota that work counts against. */
    public static QuotaUse quotaUse(Json json) {
        var fields = json.asObject();
        return new QuotaUse(
                fields.require("quota", Json::asString), fields.get("key", Json::asString));
    }

    /** A budget that work draws on, with what is set aside of its dimensions. */
    public static Json write(BudgetUse use) {
        return write(use, JsonObject.EMPTY);
    }

    /** Writes a budget that a lane draws on onto what was written before. */
    static JsonObject write(BudgetUse use, JsonObject before) {
        var reserve = JsonObject.EMPTY;
        for (var part : use.reserve().entrySet()) {
            reserve = reserve.with(part.getKey(), Json.of(part.getValue()));
        }
        return new Fields(before)
                .text("budget", Optional.of(use.budget()))
                .set("reserve", reserve, JsonObject.EMPTY, amounts -> amounts)
                .done();
    }

    /** Reads a budget that work draws on. */
    public static BudgetUse budgetUse(Json json) {
        var fields = json.asObject();
        var reserve = new TreeMap<String, Long>();
        fields.get("reserve", Json::asObject)
                .orElse(JsonObject.EMPTY)
                .fields()
                .forEach((dimension, amount) -> reserve.put(dimension, amount.asLong()));
        return new BudgetUse(fields.require("budget", Json::asString), reserve);
    }
}
