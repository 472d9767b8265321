/**
 * What operators do: commands to one execution, and the lanes, namespaces, workers and signing keys
 * that they look after.
 *
 * <p>Every change names an actor and a reason, which are kept and told in the feed. It knows leases
 * and sessions, and must never know who is allowed to call it.
 */
@NullMarked
package io.flowfabric.core.operate;

import org.jspecify.annotations.NullMarked;
