package io.flowfabric;

import org.jspecify.annotations.Nullable;

/**
 * Does one kind of work.
 *
 * <p>It may run several times for one piece of work: after a crash, a retry or a wait it runs again
 * from the top, and finds the steps and waits that were finished. Code between them runs again.
 *
 * @param <I> what was submitted
 * @param <O> what it returns
 */
@FunctionalInterface
public interface TaskHandler<I, O> {
    /**
     * Does the work.
     *
     * @return its result; null when it has none
     * @throws Exception when the attempt failed; the retry policy of the work decides what follows
     */
    @Nullable O handle(DurableTask task, I input) throws Exception;

    /**
     * Does one kind of work that has no result.
     *
     * @param <I> what was submitted
     */
    @FunctionalInterface
    interface WithoutResult<I> {
        /**
         * Does the work.
         *
         * @throws Exception when the attempt failed; the retry policy of the work decides what
         *     follows
         */
        void handle(DurableTask task, I input) throws Exception;
    }
}
