package io.flowfabric.worker;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Failure;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Lane;
import io.flowfabric.core.NotFound;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Tags;
import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.core.flow.Upstream;
import io.flowfabric.core.lease.Step;

import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** A piece of work in the hands of its handler, for as long as the handler runs. */
public interface Task {
    /** The id of the execution that is worked on. */
    ExecutionId execution();

    /** Which handler it is for. */
    String kind();

    /** Which queue it came from. */
    Lane lane();

    /** What was submitted, byte for byte. */
    Payload input();

    /** The tags that the work was submitted with. */
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
     * Says how far the work is, for operators and so that it does not count as stalled. Each report
     * replaces the one before; one that the store could not take is left to the next.
     *
     * @param percent 0 to 100
     * @param message in words; may be empty
     * @throws io.flowfabric.core.LeaseLost when another worker may have the work by now
     */
    void progress(int percent, String message);

    /**
     * Reports what the work used up, and waits until it is counted. What the handlers of a worker
     * report at about the same time goes to the store in one call; each gets an answer of its own.
     *
     * @param budget the name of a budget in the namespace of this work
     * @param dimension what of it, such as tokens
     * @param amount how much, besides what was reported before
     * @param key told apart from other reports to the same budget: repeating it counts once
     * @return how the budget stands then
     * @throws io.flowfabric.core.LeaseLost when another worker may have the work by now
     * @throws io.flowfabric.core.NotFound when there is no such budget, or it has no such dimension
     * @throws io.flowfabric.core.Conflict when the key was used for something else
     * @throws io.flowfabric.core.StoreFailure when the store gave no answer; the same report can be
     *     made again
     */
    BudgetView spend(String budget, String dimension, long amount, String key);

    /**
     * What was recorded of this execution before this lease, in that order: by earlier runs of its
     * handler, and by waits that have ended.
     */
    List<Step> steps();

    /**
     * The members of its flow that this work comes after, with what they produced, in the order in
     * which they were added; none for work that is in no flow. They come with the work when they
     * are at most 64 and their results 16 KiB together; otherwise each call reads them.
     */
    List<Upstream> upstreams();

    /**
     * What a member of its flow that this work comes after has produced; nothing when it did not
     * succeed, or has not ended, or is not kept any more.
     *
     * @param name the name of the member
     * @throws NotFound when this work does not come after a member of that name
     */
    default Optional<Payload> upstream(String name) {
        return upstreams().stream()
                .filter(one -> one.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new NotFound("upstream of " + execution(), name))
                .result();
    }

    /**
     * Records a step, and waits until it is stored. What the handlers of a worker record at about
     * the same time goes to the store in one call; each gets an answer of its own. The same name
     * with the same content again changes nothing.
     *
     * @throws io.flowfabric.core.LeaseLost when another worker may have the work by now
     * @throws io.flowfabric.core.Conflict when the name was recorded with other content
     * @throws io.flowfabric.core.Invalid when it is one step too many, or too large
     * @throws io.flowfabric.core.StoreFailure when the store gave no answer; the same step can be
     *     recorded again
     */
    Step checkpoint(String name, Payload content);

    /** The failure that is stored of the attempt when its handler throws this. */
    Failure failure(Throwable thrown);

    /**
     * Whether the work would have failed for good if its handler threw this now; otherwise it would
     * be tried again.
     */
    boolean endsWork(Throwable thrown);

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
