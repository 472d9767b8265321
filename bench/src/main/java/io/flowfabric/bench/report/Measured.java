package io.flowfabric.bench.report;

/**
 * What was measured of one of several.
 *
 * @param key what the ratios call it
 * @param name what people call it
 */
public record Measured(String key, String name, Series series) {}
