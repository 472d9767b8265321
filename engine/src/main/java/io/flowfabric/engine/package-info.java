/**
 * What makes a store a running engine: sweeps, sessions with their heartbeats, claims that wait for
 * work instead of polling for it, and followers of what happens.
 *
 * <p>It knows the core: the contract is all that it sees of a store. It must never know which store
 * that is, nor what a handler does with the leases that it brings.
 */
@NullMarked
package io.flowfabric.engine;

import org.jspecify.annotations.NullMarked;
