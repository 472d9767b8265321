package io.flowfabric.core.operate;

import io.flowfabric.core.policy.Durations;

import java.time.Duration;

/**
 * How a namespace behaves.
 *
 * @param retention how long executions are kept after their end, where their policy does not say; a
 *     change holds for what has ended already, too
 */
public record NamespaceSettings(Duration retention) {
    /** Ended executions are kept for seven days. */
    public static final NamespaceSettings DEFAULT = new NamespaceSettings(Duration.ofDays(7));

    public NamespaceSettings {
        retention = Durations.checked("retention", 0, retention);
    }

    /** These settings with another time for which ended executions are kept. */
    public NamespaceSettings retention(Duration other) {
        return new NamespaceSettings(other);
    }
}
