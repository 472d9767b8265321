/**
 * The model-based harness and the concurrent run: what chance thinks of that no person writes a
 * test for.
 *
 * <p>{@link io.flowfabric.testkit.harness.Harness} performs the same operations on a store and on
 * the store in memory and compares every answer and everything that can be seen; {@link
 * io.flowfabric.testkit.harness.ConcurrentRun} lets threads loose and asks the history checker. It
 * knows the contract, the store in memory as the model, and the history checker. It must never know
 * which store it tests, and never ask for more than the contract promises: where a store is free to
 * choose, as in what a claim picks, the model follows.
 */
@NullMarked
package io.flowfabric.testkit.harness;

import org.jspecify.annotations.NullMarked;
