package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Quota;
import io.flowfabric.core.admission.QuotaView;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.Json.JsonObject;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.core.policy.QuotaUse;
import io.flowfabric.valkey.internal.wire.Item;
import io.flowfabric.valkey.internal.wire.Packer;

import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.TreeMap;

/**
 * A quota as it is stored.
 *
 * @param written as text, with what this program does not know
 */
public record QuotaRecord(Quota quota, String written) {
    /** The place of the written settings, less one than in {@code constants.lua}. */
    private static final int SETTINGS = 3;

    public static QuotaRecord read(Namespace namespace, String name, byte[] packed) {
        var written = Item.read(packed).at(SETTINGS).text();
        return new QuotaRecord(
                SettingsCodec.quota(namespace, name, Json.parseObject(written)), written);
    }

    /** Writes a quota onto what was written before. */
    public static void write(Packer out, Quota quota, Optional<QuotaRecord> before) {
        var onto = before.map(known -> Json.parseObject(known.written)).orElse(JsonObject.EMPTY);
        out.list(4)
                .optional(quota.concurrency(), (o, most) -> o.number(most))
                .optional(quota.rate(), (o, rate) -> o.number(rate.max()))
                .optional(quota.rate(), (o, rate) -> o.duration(rate.window()))
                .text(SettingsCodec.write(quota, onto).toString());
    }

    /**
     * How it stands.
     *
     * @param meter what counts against it, if anything does
     */
    public QuotaView view(QuotaUse use, Optional<byte[]> meter, Instant now) {
        if (meter.isEmpty()) {
            return new QuotaView(quota, use, 0, 0, Optional.empty());
        }
        var fields = Item.read(meter.get());
        var starts = new TreeMap<Instant, Integer>();
        var packed = fields.at(1).bytes();
        var told = packed.length == 0 ? List.<Item>of() : Item.read(packed).list();
        for (int i = 0; i < told.size(); i += 2) {
            var at = told.get(i).moment();
            if (quota.rate().filter(rate -> rate.until(at).isAfter(now)).isPresent()) {
                starts.put(at, told.get(i + 1).small());
            }
        }
        return new QuotaView(
                quota,
                use,
                fields.at(0).small(),
                starts.values().stream().mapToInt(count -> count).sum(),
                quota.rate().flatMap(rate -> rate.opens(starts)));
    }
}
