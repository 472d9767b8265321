package io.flowfabric;

import io.flowfabric.worker.TaskResult;

/**
 * Leaves a handler at a wait. It is an Error, so that a handler that catches its own exceptions
 * lets it pass.
 */
final class Unwinding extends Error {
    private static final long serialVersionUID = 1L;

    private final transient TaskResult result;

    /**
     * @param result how the run of the handler ends
     */
    Unwinding(String wait, TaskResult result) {
        super(
                "The handler waits at %s, and runs again when that is over.".formatted(wait),
                null,
                false,
                false);
        this.result = result;
    }

    TaskResult result() {
        return result;
    }
}
