/**
 * The worker runtime: handlers by kind on virtual threads, prefetch, group commit and drain.
 *
 * <p>It knows the core and the engine, through which it gets leases and gives them up. It must
 * never know a store, nor how the inputs and results that it carries are written.
 */
@NullMarked
package io.flowfabric.worker;

import org.jspecify.annotations.NullMarked;
