/**
 * What programs hold: {@link io.flowfabric.FlowFabric}, kinds of work with their types, durable
 * handlers, flows.
 *
 * <p>It knows the engine, the worker runtime and the stores, and puts values in the place of bytes.
 * It must never decide anything that a store or the core decides: whoever builds on the contract
 * gets the same engine.
 */
@NullMarked
package io.flowfabric;

import org.jspecify.annotations.NullMarked;
