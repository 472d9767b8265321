package io.flowfabric;

import org.jspecify.annotations.Nullable;

/**
 * Something around every run of every handler of a worker: a log line, a transaction, a tenant in a
 * thread local. The one that was added first is the outermost.
 */
@FunctionalInterface
public interface Middleware {
    /**
     * Runs what is inside, or does something in its place.
     *
     * @param task what is worked on
     * @param inner the next middleware, or the handler
     * @return what the handler is to have returned
     */
    @Nullable Object around(DurableTask task, Inner inner) throws Exception;

    /** What a middleware is around. */
    @FunctionalInterface
    interface Inner {
        /** Runs it, and returns what the handler returned. */
        @Nullable Object run() throws Exception;
    }
}
