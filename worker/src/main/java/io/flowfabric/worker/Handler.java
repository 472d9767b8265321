package io.flowfabric.worker;

import io.flowfabric.core.Payload;

import org.jspecify.annotations.Nullable;

/**
 * Does one kind of work.
 *
 * <p>Work runs at least once: after a crash it runs again, so a handler does nothing that it could
 * not do twice. It has a thread of its own, virtual unless the worker was given others, and may
 * block.
 */
@FunctionalInterface
public interface Handler {
    /**
     * Does the work, and returns its result; null when it has none.
     *
     * @throws Exception when the attempt failed. The retry policy of the work decides what follows:
     *     by the category of a {@link TaskFailure}; anything else counts as transient.
     */
    @Nullable Payload handle(Task task) throws Exception;

    /** A handler that may also end its work in other ways than by completing it. */
    @FunctionalInterface
    interface WithResult {
        /**
         * Does the work, and returns how it ends; null when it is done and has no result. Failing
         * is the same as in {@link Handler}.
         */
        @Nullable TaskResult handle(Task task) throws Exception;
    }
}
