/**
 * The store in memory: the executable specification of every rule, on a virtual clock.
 *
 * <p>It is written to be read: one lock, plain scans, no cleverness. What it does is what every
 * store must do; how fast is no concern of its. It knows the core only.
 *
 * <p>Callers reach the classes that implement an interface of the core. What several of them need
 * is stored in the parts of {@code MemoryState}. An execution changes its state by {@code
 * ExecutionSteps} alone.
 */
@NullMarked
package io.flowfabric.testkit.memory;

import org.jspecify.annotations.NullMarked;
