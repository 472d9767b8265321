/**
 * The benchmarks: what is measured, how often, and in which order.
 *
 * <p>{@link io.flowfabric.bench.Main} is the program behind {@code ./ff bench}. It knows every part
 * of the product that is measured, and those it is measured against. Nothing may know it, and it
 * must never measure anything that it does not also check.
 */
@NullMarked
package io.flowfabric.bench;

import org.jspecify.annotations.NullMarked;
