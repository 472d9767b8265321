package io.flowfabric.core.lease;

import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;

/**
 * What became of a lease that its holder gave up.
 *
 * @param transition complete, fail, retry, cancel, delay, release or suspend
 * @param until when it runs again, after a retry or a delay, which may have passed; when a
 *     suspension ends by itself
 */
public record Ended(Transition transition, Optional<Instant> until) {}
