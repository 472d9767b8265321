package io.flowfabric.core.operate;

import io.flowfabric.core.Lane;

import java.time.Instant;

/** A lane as it is. */
public record LaneView(Lane lane, LaneSettings settings, Instant since) {}
