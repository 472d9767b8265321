package io.flowfabric.postgres.internal.catalog;

/** A gate of a lane, both by their numbers. */
public record LaneGate(int lane, int gate) {}
