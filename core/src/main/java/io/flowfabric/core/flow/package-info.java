/**
 * Graphs of executions: a {@link io.flowfabric.core.flow.FlowSubmission} describes members and what
 * each of them waits for, and {@link io.flowfabric.core.flow.Flows} accepts, extends, cancels and
 * shows them.
 *
 * <p>It knows submissions and states; what follows when a member ends is decided in {@code
 * io.flowfabric.core.decision}. It must never know how a graph is stored.
 */
@NullMarked
package io.flowfabric.core.flow;

import org.jspecify.annotations.NullMarked;
