/**
 * The store in memory: the executable specification of every rule, on a virtual clock.
 *
 * <p>It is written to be read: one lock, plain scans, no cleverness. What it does is what every
 * store must do; how fast is no concern of its. It knows the core only.
 *
 * <p>The classes called {@code Memory} and an interface of the core are what callers reach. What
 * several of them need is stored in the parts of {@code MemoryState}. An execution changes its
 * state by {@code ExecutionSteps} alone.
 */
@NullMarked
package io.flowfabric.testkit.memory;

import org.jspecify.annotations.NullMarked;
