package io.flowfabric.core.lease;

import io.flowfabric.core.Answer;
import io.flowfabric.core.Fence;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.signal.OpenWaitpoint;
import io.flowfabric.core.signal.WaitpointView;
import io.flowfabric.core.stream.Append;

import java.util.List;

/**
 * What the holder of a lease writes. Every write is one conditional write: running, this epoch, a
 * living session. Anything else is {@code LeaseLost} and changes nothing; an unknown execution is
 * {@code NotFound}.
 */
public interface Leases {
    /**
     * Records how far the work is. Each report replaces the one before, and shows that the worker
     * has not stalled.
     */
    List<Answer<Fence>> progress(List<Progress> reports);

    /**
     * Reports what was used up. It always counts, also beyond a limit; the answer says how the
     * budget stands then. The same report again counts once; the same key with another content is
     * {@code Conflict}; an unknown budget or dimension is {@code NotFound}.
     *
     * <p>The reports of one call are taken in their order, each as if it were made alone, and each
     * answer says how the budget stood after that report. When one breaches a budget that cancels,
     * those behind it of what was cancelled are {@code LeaseLost}.
     */
    List<Answer<BudgetView>> spend(List<UsageReport> spendings);

    /**
     * Records steps: each is stored once, comes with every later lease of its execution, and shows
     * that the worker has not stalled.
     *
     * <p>The same name with the same content again gives the first answer again, also under a later
     * lease; with other content it is {@code Conflict}. Several of one call are taken in their
     * order. A step is {@code Invalid} that is one too many in its execution, or too large beside
     * those that it has.
     */
    List<Answer<Step>> checkpoint(List<Checkpoint> checkpoints);

    /**
     * Appends frames to the streams of attempts. Each is answered with the position behind it.
     *
     * <p>A frame says at which position it is to stand, so the same one again gets the first answer
     * again; another one at a position that is taken is {@code Conflict}, and so is one with a gap
     * before it. Several of one call are taken in their order. A frame is {@code Invalid} that is
     * one too many in its attempt, or too large beside those that it has.
     */
    List<Answer<Long>> append(List<Append> appends);

    /**
     * Opens waitpoints before anything waits there, so that an outsider can be told of them. One
     * that is open already is answered as it is. A waitpoint is {@code Invalid} that is one too
     * many in its execution.
     */
    List<Answer<WaitpointView>> open(List<OpenWaitpoint> waitpoints);

    /**
     * Ends leases: complete, fail, cancel, delay, release, suspend. A suspension is {@code
     * Conflict} whose name a step of the execution has, and {@code Invalid} when it would be one
     * step too many.
     *
     * <p>The same ending again gives the first answer again, until the execution is claimed anew;
     * another ending of the same lease is {@code Conflict}.
     */
    List<Answer<Ended>> end(List<Ending> endings);
}
