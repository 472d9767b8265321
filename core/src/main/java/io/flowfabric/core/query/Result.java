package io.flowfabric.core.query;

import io.flowfabric.core.Attribution;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Payload;
import io.flowfabric.core.state.Outcome;

import java.util.Optional;

/**
 * What an execution came to.
 *
 * @param result what it produced, when it succeeded
 * @param failure the last failure, when it did not succeed and there was one
 * @param endedBy who ended it, and why, when it was not its worker
 */
public record Result(
        Outcome outcome,
        Optional<Payload> result,
        Optional<Failure> failure,
        Optional<Attribution> endedBy) {}
