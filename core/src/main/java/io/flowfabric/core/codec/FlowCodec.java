package io.flowfabric.core.codec;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Digest;
import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.FlowId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Tags;
import io.flowfabric.core.codec.Json.JsonArray;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.flow.Consequence;
import io.flowfabric.core.flow.Consequence.Relieve;
import io.flowfabric.core.flow.Consequence.Resolve;
import io.flowfabric.core.flow.Consequence.Stop;
import io.flowfabric.core.flow.Consequence.Which;
import io.flowfabric.core.flow.FlowCancellation;
import io.flowfabric.core.flow.FlowPolicy;
import io.flowfabric.core.flow.FlowPolicy.OnFailure;
import io.flowfabric.core.flow.FlowRecord;
import io.flowfabric.core.flow.FlowState;
import io.flowfabric.core.flow.MemberTally;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * How flows are written: what never changes ({@link #fixed}) apart from what does ({@link
 * #changing}), because the latter is written whenever a member ends.
 */
public final class FlowCodec {
    private static final String RESOLVE_HAD = "had";
    private static final String RESOLVE_MISSED = "missed";
    private static final String RELIEVE = "relieve";

    private FlowCodec() {}

    /** Writes what a flow was submitted with, without its graph and its input. */
    public static JsonObject fixed(FlowRecord flow) {
        var tags = JsonObject.EMPTY;
        for (var tag : flow.tags().values().entrySet()) {
            tags = tags.with(tag.getKey(), Json.of(tag.getValue()));
        }
        return new Fields(JsonObject.EMPTY)
                .text("namespace", Optional.of(flow.namespace().name()))
                .text("kind", Optional.of(flow.kind()))
                .set("tags", tags, JsonObject.EMPTY, json -> json)
                .set("creator", flow.creator(), "", Json::of)
                .word("on_failure", flow.policy().onFailure(), OnFailure.FINISH)
                .list("quotas", flow.policy().quotas(), PolicyCodec::write)
                .list("budgets", flow.policy().budgets(), PolicyCodec::write)
                .text("digest", Optional.of(flow.digest().hex()))
                .number("submitted", Optional.of(flow.submitted().toEpochMilli()))
                .text("parent", flow.parent().map(ExecutionId::toString))
                .done();
    }

    /** Writes what becomes of a flow, onto what was written of that before. */
    public static JsonObject changing(FlowRecord flow, JsonObject before) {
        return new Fields(before)
                .set("open", flow.open(), false, Json::of)
                .number("revision", flow.revision(), 0)
                .text("extended", flow.extended().map(Digest::hex))
                .list("tally", counts(flow.tally()), Json::of)
                .word("state", flow.state(), FlowState.RUNNING)
                .set("cancelled", flow.cancelled(), FlowCodec::write)
                .number("ended", flow.endedAt().map(Instant::toEpochMilli))
                .list("consequences", flow.consequences(), FlowCodec::write)
                .done();
    }

    /** Reads both. */
    public static FlowRecord read(FlowId id, JsonObject fixed, JsonObject changing) {
        var tags = new TreeMap<String, String>();
        Fields.object(fixed, "tags")
                .fields()
                .forEach((key, value) -> tags.put(key, value.asString()));
        return new FlowRecord(
                id,
                new Namespace(fixed.require("namespace", Json::asString)),
                fixed.require("kind", Json::asString),
                new Tags(tags),
                fixed.get("creator", Json::asString).orElse(""),
                new FlowPolicy(
                        fixed.get("on_failure", Fields.word(OnFailure.class))
                                .orElse(OnFailure.FINISH),
                        PolicyCodec.sorted(fixed, "quotas", PolicyCodec::quotaUse),
                        PolicyCodec.sorted(fixed, "budgets", PolicyCodec::budgetUse)),
                new Digest(fixed.require("digest", Json::asString)),
                Instant.ofEpochMilli(fixed.require("submitted", Json::asLong)),
                fixed.get("parent", Json::asString).map(ExecutionId::parse),
                changing.get("open", Json::asBoolean).orElse(false),
                changing.get("revision", Json::asLong).orElse(0L),
                changing.get("extended", Json::asString).map(Digest::new),
                tally(changing.require("tally", list -> list.asList(Json::asInt))),
                changing.get("state", Fields.word(FlowState.class)).orElse(FlowState.RUNNING),
                changing.get("cancelled", json -> cancellation(json.asObject())),
                changing.get("ended", Json::asLong).map(Instant::ofEpochMilli),
                changing.get("consequences", list -> list.asList(FlowCodec::consequence))
                        .orElse(List.of()));
    }

    private static List<Long> counts(MemberTally tally) {
        return List.of(
                (long) tally.live(),
                (long) tally.succeeded(),
                (long) tally.failed(),
                (long) tally.cancelled(),
                (long) tally.expired(),
                (long) tally.skipped());
    }

    private static MemberTally tally(List<Integer> counts) {
        return new MemberTally(
                counts.get(0),
                counts.get(1),
                counts.get(2),
                counts.get(3),
                counts.get(4),
                counts.get(5));
    }

    private static JsonObject write(FlowCancellation cancelled) {
        return JsonObject.EMPTY
                .with("mode", Words.of(cancelled.mode()))
                .with("actor", Json.of(cancelled.by().actor()))
                .with("reason", Json.of(cancelled.by().reason()))
                .with("at", Json.of(cancelled.at().toEpochMilli()));
    }

    private static FlowCancellation cancellation(JsonObject json) {
        return new FlowCancellation(
                json.require("mode", Fields.word(FlowCancellation.Mode.class)),
                new Attribution(
                        json.require("actor", Json::asString),
                        json.require("reason", Json::asString)),
                Instant.ofEpochMilli(json.require("at", Json::asLong)));
    }

    /** A word, the member that it is about if it is about one, and how far it is done. */
    private static Json write(Consequence consequence) {
        return switch (consequence) {
            case Resolve resolve ->
                    items(
                            Json.of(resolve.success() ? RESOLVE_HAD : RESOLVE_MISSED),
                            Json.of(resolve.member()),
                            Json.of(resolve.after()));
            case Relieve relieve ->
                    items(Json.of(RELIEVE), Json.of(relieve.member()), Json.of(relieve.after()));
            case Stop stop -> items(Words.of(stop.which()), Json.of(-1), Json.of(stop.after()));
        };
    }

    private static JsonArray items(Json... items) {
        return new JsonArray(List.of(items));
    }

    private static Consequence consequence(Json json) {
        var items = json.asList(item -> item);
        int member = items.get(1).asInt();
        int after = items.get(2).asInt();
        return switch (items.get(0).asString()) {
            case RESOLVE_HAD -> new Resolve(member, true, after);
            case RESOLVE_MISSED -> new Resolve(member, false, after);
            case RELIEVE -> new Relieve(member, after);
            default -> new Stop(Words.read(Which.class, items.get(0)), after);
        };
    }
}
