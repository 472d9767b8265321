package io.flowfabric.core.signal;

/**
 * What a condition has to know of a signal.
 *
 * @param number of the signal, in the order in which its execution received them, from 1
 * @param waitpoint where it arrived
 * @param name of the signal
 * @param actor who sent it
 */
public record SignalHead(long number, String waitpoint, String name, String actor) {}
