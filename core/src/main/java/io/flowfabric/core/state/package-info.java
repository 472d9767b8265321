/**
 * What an execution can be, and which step leads from one to the next.
 *
 * <p>{@link io.flowfabric.core.state.ExecutionState} is the truth, {@link
 * io.flowfabric.core.state.Transition} the table of legal steps, {@link
 * io.flowfabric.core.state.StateVector} the projection for SQL and wires. It knows the vocabulary
 * and must never know a policy, a request or a store.
 */
@NullMarked
package io.flowfabric.core.state;

import org.jspecify.annotations.NullMarked;
