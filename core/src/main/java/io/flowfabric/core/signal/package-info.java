/**
 * Waiting for others: an execution is suspended until signals arrive at its waitpoints, an operator
 * resumes it, or its time is over; signals come from the program itself, or from outside with a
 * token.
 *
 * <p>What a signal means for who waits is decided in {@code core.decision}. This package must never
 * know how waits are stored.
 */
@NullMarked
package io.flowfabric.core.signal;

import org.jspecify.annotations.NullMarked;
