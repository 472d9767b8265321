package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Objects;

/**
 * What a worker used up.
 *
 * @param key told apart from other reports to the same budget: repeating it counts once
 */
public record UsageReport(Fence fence, String budget, String dimension, long amount, String key) {
    public UsageReport {
        Objects.requireNonNull(fence, "fence");
        Text.name("budget", budget, Limit.NAME_BYTES);
        Text.name("dimension", dimension, Limit.NAME_BYTES);
        Text.name("spending key", key, Limit.NAME_BYTES);
        Limit.AMOUNT.checkRange("amount", 0, amount);
    }
}
