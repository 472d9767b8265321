/**
 * The store on Valkey.
 *
 * <p>{@link io.flowfabric.valkey.ValkeyStore} keeps the contract of the core with functions that
 * run on the server; they are Lua files beside this package. It knows the core and Lettuce. It must
 * never decide what the core decides, except where a function has to do it in one step.
 */
@NullMarked
package io.flowfabric.valkey;

import org.jspecify.annotations.NullMarked;
