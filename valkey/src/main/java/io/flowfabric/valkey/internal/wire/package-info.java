/**
 * The way to the servers: packed values, keys, the library of functions, and what errors mean.
 *
 * <p>It knows Lettuce. It must never know an execution or a rule of the store.
 */
@NullMarked
package io.flowfabric.valkey.internal.wire;

import org.jspecify.annotations.NullMarked;
