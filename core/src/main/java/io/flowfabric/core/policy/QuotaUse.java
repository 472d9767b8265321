package io.flowfabric.core.policy;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Comparator;
import java.util.Optional;

/**
 * A quota that work counts against.
 *
 * @param key with a key it is counted with all work of the same key, such as one customer; without
 *     one, with all work that has none
 */
public record QuotaUse(String quota, Optional<String> key) implements Comparable<QuotaUse> {
    private static final Comparator<QuotaUse> ORDER =
            Comparator.comparing(QuotaUse::quota).thenComparing(use -> use.key.orElse(""));

    public QuotaUse {
        Text.name("quota", quota, Limit.NAME_BYTES);
        key.ifPresent(value -> Text.name("quota key", value, Limit.NAME_BYTES));
    }

    /** The use of a quota that is one for all. */
    public static QuotaUse of(String quota) {
        return new QuotaUse(quota, Optional.empty());
    }

    /** The use of a quota that counts for each key apart. */
    public static QuotaUse of(String quota, String key) {
        return new QuotaUse(quota, Optional.of(key));
    }

    @Override
    public int compareTo(QuotaUse other) {
        return ORDER.compare(this, other);
    }

    /** As people read it: {@code customer=42}. */
    @Override
    public String toString() {
        return key.map(value -> quota + "=" + value).orElse(quota);
    }
}
