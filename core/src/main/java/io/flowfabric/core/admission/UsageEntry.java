package io.flowfabric.core.admission;

import java.time.Instant;

/** A report of what an execution used up, as it is kept. */
public record UsageEntry(
        String budget, String dimension, long amount, String key, Instant at, boolean refunded) {}
