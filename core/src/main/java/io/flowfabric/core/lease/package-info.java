/**
 * What worker processes call: a session says that the process is alive, a claim or a redeemed grant
 * gives it leases, and a lease lets it write about one execution until it ends the lease.
 *
 * <p>Every write carries the fence of its lease, so that a worker that has lost it changes nothing.
 * It knows admission only to say what kept work waiting, and must never know how work is queued.
 */
@NullMarked
package io.flowfabric.core.lease;

import org.jspecify.annotations.NullMarked;
