package io.flowfabric.core.lease;

import java.time.Instant;

/**
 * A session that lives.
 *
 * @param aliveUntil when it dies unless it is heard of again
 * @param registered whether this call registered it, or refreshed one that lived already
 */
public record OpenedSession(Instant aliveUntil, boolean registered) {}
