package io.flowfabric.core.lease;

import io.flowfabric.core.state.Transition;

import java.time.Instant;
import java.util.Optional;

/**
 * What became of a lease that its holder gave up.
 *
 * @param transition complete, fail, retry, cancel, delay or release
 * @param until when it runs again, after a retry or a delay; it may have passed
 */
public record Ended(Transition transition, Optional<Instant> until) {}
