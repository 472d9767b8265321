package io.flowfabric.engine;

import io.flowfabric.core.contract.Maintenance.Chore;
import io.flowfabric.core.state.Transition;

/**
 * What an engine counts. Every method does nothing unless it is overridden, is called from the
 * thread that did the work, and must return at once. One that throws is logged and passed over.
 */
public interface EngineMetrics {
    /** Counts nothing. */
    EngineMetrics NONE = new EngineMetrics() {};

    /** So many executions were created. */
    default void submitted(int count) {}

    /** So many leases were got. */
    default void claimed(int count) {}

    /** So many leases were given up by their holder, in this way. */
    default void ended(Transition transition, int count) {}

    /** So many leases turned out to be lost. */
    default void leaseLost(int count) {}

    /** A session of this process died. */
    default void sessionDied() {}

    /** So many rounds of a chore failed, or items of it had to be passed over. */
    default void sweepErrors(Chore chore, int count) {}

    /** So many more claims are waiting for work now; fewer, when it is negative. */
    default void parked(int change) {}
}
