/**
 * The whole of a FlowFabric: {@link io.flowfabric.core.store.Backend} hands out the interfaces of
 * all audiences, and a {@link io.flowfabric.core.store.Store} is a backend that an engine keeps
 * going through its maintenance and its wake-ups.
 *
 * <p>Users start from a backend; authors of stores implement a store. It knows the interfaces of
 * every audience, and must never know how one of them is kept.
 */
@NullMarked
package io.flowfabric.core.store;

import org.jspecify.annotations.NullMarked;
