package io.flowfabric.core.operate;

import io.flowfabric.core.Lane;

import java.time.Instant;

/**
 * A lane as it is.
 *
 * @param since when it came into being
 * @param registeredBy who brought it into being: the creator of its first submission, which may be
 *     empty, or the operator that configured it first
 * @param changed since when its settings are these
 */
public record LaneView(
        Lane lane, LaneSettings settings, Instant since, String registeredBy, Instant changed) {}
