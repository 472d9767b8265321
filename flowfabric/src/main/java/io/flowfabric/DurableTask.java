package io.flowfabric;

import io.flowfabric.core.admission.BudgetView;
import io.flowfabric.worker.Task;

import org.jspecify.annotations.Nullable;

import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.function.Consumer;

/**
 * A piece of work in the hands of its handler, with what makes plain code durable.
 *
 * <p>A step runs once: what it returned is stored, and later runs of the handler are given that. A
 * wait ends the run of the handler, which then holds no thread and no lease; when the wait is over
 * the handler runs again from the top, is given what is stored, and goes on behind the wait. So:
 *
 * <ul>
 *   <li>Code between steps and waits runs again with every run. What must happen once belongs into
 *       a step.
 *   <li>Steps and waits have names, each used once in a handler, and come in the same order in
 *       every run. A name in a loop carries its number: {@code "page-" + i}.
 *   <li>They are called one after the other, by the thread of the handler.
 *   <li>A wait is left by an {@link Error} that a handler must not keep: {@code catch (Exception
 *       e)} does not, {@code catch (Throwable t)} has to throw it on.
 * </ul>
 */
public interface DurableTask extends Task {
    /**
     * Runs a step, or returns what it returned when it ran before. It has run at least once when it
     * is stored, and never again after that; a process that dies between the two runs it twice, so
     * what it does to other systems should be safe to repeat: name it by {@link #execution()} and
     * the step's name.
     *
     * @param name unique in the handler
     * @param type what the body returns, as it is stored
     * @param body does something once; what it throws is not stored, and fails the attempt
     * @return what the body returned, as it was stored: null for null
     */
    <T> T step(String name, Class<T> type, Callable<? extends @Nullable T> body) throws Exception;

    /** Runs a step that returns nothing, unless it ran before. */
    default void step(String name, StepAction body) throws Exception {
        step(
                name,
                Void.class,
                () -> {
                    body.run();
                    return null;
                });
    }

    /**
     * Runs a step in a transaction, on Postgres: what the body writes and that the step is finished
     * are one commit, so that it happens exactly once.
     *
     * @param body writes through the connection, which is committed or rolled back for it
     * @throws io.flowfabric.core.Unavailable when the store is not on Postgres
     */
    <T> T transaction(String name, Class<T> type, TransactionStep<? extends @Nullable T> body)
            throws Exception;

    /**
     * A step in a transaction.
     *
     * @param <T> what it returns
     */
    @FunctionalInterface
    interface TransactionStep<T extends @Nullable Object> {
        /** Writes through a connection. */
        T run(Connection connection) throws Exception;
    }

    /** A step that returns nothing. */
    @FunctionalInterface
    interface StepAction {
        /** Does something once. */
        void run() throws Exception;
    }

    /** Waits so long, without a thread or a lease. An operator may end the wait before. */
    void sleep(String name, Duration length);

    /** Waits until a moment, without a thread or a lease. An operator may end the wait before. */
    void sleepUntil(String name, Instant moment);

    /**
     * Waits for a signal of this name, however long it takes.
     *
     * @param name of the wait, and where the signal is sent to: {@code fabric.signal(id, name,
     *     value)}
     * @return what the signal says; nothing when an operator let the work go on without one
     */
    <T> Optional<T> awaitSignal(String name, Class<T> type);

    /**
     * Waits for a signal of this name, for so long at most.
     *
     * @return what the signal says; nothing when none came in time, or an operator let the work go
     *     on
     */
    <T> Optional<T> awaitSignal(String name, Class<T> type, Duration timeout);

    /**
     * Waits for one person to approve or reject, for so long at most.
     *
     * @param name of the wait: {@code fabric.approve(id, name, by)}
     */
    default Approval awaitApproval(String name, Duration timeout) {
        return awaitApprovals(name, 1, timeout, token -> {});
    }

    /**
     * Hands out a signed token, and waits for one person who has it to approve or reject.
     *
     * @param ask called once with the token, which is good until the wait is over: {@code
     *     fabric.approve(token, by)}
     */
    default Approval awaitApproval(String name, Duration timeout, Consumer<String> ask) {
        return awaitApprovals(name, 1, timeout, ask);
    }

    /**
     * Hands out a signed token, and waits until several people, told apart by their names, have
     * answered. All of them have to approve: when one of the answers is a rejection, it is rejected
     * once so many have answered.
     *
     * @param count how many have to answer
     * @param ask called once with the token, which is good until the wait is over
     */
    Approval awaitApprovals(String name, int count, Duration timeout, Consumer<String> ask);

    /**
     * Submits a flow below this work, and waits until it has ended. When this work ends before, the
     * flow is cancelled.
     *
     * @param name unique in the handler, and which makes the flow's id
     * @return the flow, which has ended, however it has
     */
    FlowHandle awaitChildren(String name, Flow children);

    /**
     * What a task that this one comes after in its flow has returned.
     *
     * @param task its name in the flow
     * @return nothing when it did not succeed, or returned nothing
     * @throws io.flowfabric.core.NotFound when this work comes after no such task
     */
    <T> Optional<T> upstream(String task, Class<T> type);

    /**
     * Undoes something when the work fails for good: all that was registered is run in reverse
     * order, each as a step of its own, before the failure is stored. One that fails is tried
     * again, five times at most, and then left. Nothing is undone when the work is cancelled,
     * expires, or times out, because then another process ends it.
     *
     * <p>It is called between steps. Called before the step that it undoes, it is also run when
     * that step was left half done; called behind it, only when that step is finished. A replay of
     * work that was undone tries again what could not be undone, and a fresh one begins anew.
     *
     * @param name unique among them
     * @param undo has no steps or waits of its own
     */
    void compensate(String name, StepAction undo);

    /**
     * Which version of the code this piece of work goes by, for handlers that have changed while
     * work is running: work that was past this point before the change was made gets 0, all other
     * work gets {@code current}, and keeps it.
     *
     * <pre>{@code
     * if (task.version("new-carrier", 1) >= 1) {
     *     task.step("book", ...);
     * }
     * }</pre>
     *
     * @param change a name for what has changed, unique in the handler
     * @param current the version that begins now, from 1
     */
    int version(String change, int current);

    /**
     * Reports what was used up: {@link Task#spend} with a key of its own. Every call counts, also
     * when a later run of the handler makes it again, so it belongs into the step that uses
     * something up.
     */
    BudgetView spend(String budget, String dimension, long amount);

    /**
     * Writes a line that is kept with the attempt, in its stream, as a frame of type {@code log}.
     */
    void log(String line);

    /**
     * Appends a frame to the stream of the attempt, for readers that look on while the work runs.
     *
     * @param type a word by which readers tell frames apart
     */
    void stream(String type, @Nullable Object value);

    /** The context of the trace in which the work was submitted, as W3C writes it. */
    Optional<String> traceparent();
}
