package io.flowfabric.valkey.internal.record;

import io.flowfabric.core.Namespace;
import io.flowfabric.core.admission.Budget;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.admission.BudgetView.Level;
import io.flowfabric.core.codec.Json;
import io.flowfabric.core.codec.SettingsCodec;
import io.flowfabric.valkey.internal.wire.Item;

import java.util.Optional;
import java.util.TreeMap;

/**
 * A budget as it is stored, with how it stands. The places of its fields are those of {@code
 * constants.lua}, less one.
 */
public record BudgetRecord(Namespace namespace, String name, Item fields) {
    public static BudgetRecord read(Namespace namespace, String name, byte[] packed) {
        return new BudgetRecord(namespace, name, Item.read(packed));
    }

    /** The budget above, by its namespace and its name. */
    public Optional<String> parent() {
        return fields.at(2).optional(Item::text);
    }

    public boolean deleted() {
        return fields.at(3).truth();
    }

    /** Its settings as they are written, with what this program does not know. */
    public String written() {
        return fields.at(8).text();
    }

    public Budget budget() {
        return SettingsCodec.budget(namespace, name, Json.parseObject(written()));
    }

    public BudgetView view() {
        var levels = new TreeMap<String, Level>();
        for (var dimension : fields.at(6).list()) {
            levels.put(
                    dimension.at(0).text(),
                    new Level(dimension.at(3).number(), dimension.at(4).number()));
        }
        return new BudgetView(budget(), levels, fields.at(5).optional(Item::moment));
    }
}
