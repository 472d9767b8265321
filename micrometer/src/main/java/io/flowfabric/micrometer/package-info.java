/**
 * What an engine counts, as meters of Micrometer.
 *
 * <p>It knows the engine and Micrometer. It must never know a store, nor put anything into a label
 * of which there can be ever more: no execution, no key, no worker.
 */
@NullMarked
package io.flowfabric.micrometer;

import org.jspecify.annotations.NullMarked;
