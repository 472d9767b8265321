package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.operate.LaneSettings;
import io.flowfabric.core.operate.LaneView;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.Optional;

/**
 * A lane as it is stored. The places of its fields are those of {@code constants.lua}, less one.
 */
public record LaneRecord(Item fields) {
    public Lane lane() {
        return new Lane(new Namespace(fields.at(0).text()), fields.at(1).text());
    }

    /** Its settings as they are written, with what this program does not know. */
    public Optional<String> written() {
        return fields.at(10).optional(Item::text);
    }

    public LaneSettings settings() {
        return written()
                .map(Json::parseObject)
                .map(SettingsCodec::lane)
                .orElse(LaneSettings.DEFAULT);
    }

    /** Orders the decisions about how it behaves. */
    public long stamp() {
        return fields.at(16).number();
    }

    /** Whether all of its work belongs into the main partition, because it counts there. */
    public boolean isGathered() {
        return !fields.at(17).isAbsent() || namesLimits(settings());
    }

    /** Whether a lane with these settings counts its work against a quota or a budget. */
    public static boolean namesLimits(LaneSettings settings) {
        return !settings.quotas().isEmpty() || !settings.budgets().isEmpty();
    }

    /** Other settings, written onto these. */
    public static JsonObject write(LaneSettings settings, Optional<String> before) {
        return SettingsCodec.write(
                settings, before.map(Json::parseObject).orElse(JsonObject.EMPTY));
    }

    /** Who changed it last, and why; nothing when nobody has. */
    public Optional<Attribution> changedBy() {
        return fields.at(15).optional(by -> new Attribution(by.at(0).text(), by.at(1).text()));
    }

    public LaneView view() {
        var since = fields.at(11).moment();
        return new LaneView(
                lane(),
                settings(),
                since,
                fields.at(12).text(),
                fields.at(13).optional(Item::moment).orElse(since));
    }
}
