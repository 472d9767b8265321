package io.flowfabric.worker;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;

import java.time.Instant;
import java.util.Optional;

/** A piece of work in the hands of its handler, for as long as the handler runs. */
public interface Task {
    ExecutionId execution();

    /** Which handler it is for. */
    String kind();

    /** Which queue it came from. */
    Lane lane();

    Payload input();

    Tags tags();

    /**
     * Which attempt this is, from 1. An attempt that was interrupted goes on under the same number.
     */
    int attempt();

    /**
     * The token of this lease. It changes whenever the work changes hands, and never comes back:
     * other systems can use it to refuse what a worker says that has lost its lease.
     */
    Fence fence();

    /** When the work expires, whatever its handler is doing then. */
    Optional<Instant> deadline();

    /**
     * Says how far the work is, for operators, and so that it does not count as stalled. Each
     * report replaces the one before; one that the store could not take is left to the next.
     *
     * @param percent 0 to 100
     * @param message in words; may be empty
     * @throws io.flowfabric.core.LeaseLost when another worker may have the work by now
     */
    void progress(int percent, String message);

    /**
     * Whether the handler should stop: because of {@link #leaseLost()} or {@link #shuttingDown()}.
     * The handler's thread is interrupted when this becomes true.
     */
    default boolean stopRequested() {
        return leaseLost() || shuttingDown();
    }

    /**
     * Whether the lease is lost: the execution was cancelled, paused or timed out, or the session
     * has died. What the handler returns is dropped.
     */
    boolean leaseLost();

    /**
     * Whether the worker shuts down. A handler that still returns in time keeps its result; one
     * that throws gives the work back unharmed.
     */
    boolean shuttingDown();
}
