/**
 * The vocabulary of FlowFabric: ids, the fence, payloads, limits and the errors everything else
 * speaks in.
 *
 * <p>It knows the JDK and nothing else. It must never know a store, a thread, a clock of its own or
 * a framework; every type here is a value that refuses to exist in an invalid form.
 */
@NullMarked
package io.flowfabric.core;

import org.jspecify.annotations.NullMarked;
