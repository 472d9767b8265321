package io.flowfabric.core.flow;

/**
 * An edge as it is stored, between members by their numbers.
 *
 * @param on which end of the upstream counts
 */
public record Arc(int upstream, int downstream, Edge.On on) {}
