package io.flowfabric.core.stream;

/**
 * What the patches of an attempt have come to so far.
 *
 * @param document a JSON object; its numbers are as they were written
 * @param version how many patches there were
 */
public record Summary(String document, long version) {}
