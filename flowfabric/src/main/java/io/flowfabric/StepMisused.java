package io.flowfabric;

import io.flowfabric.core.Failure;
import io.flowfabric.worker.TaskFailure;

/**
 * A handler has used steps or waits in a way that cannot work: a name twice, a step inside a step,
 * another order than in the run before. Trying again would not help, so it is a permanent failure;
 * after the handler is corrected the work can be replayed, and keeps the steps that are finished.
 */
public final class StepMisused extends TaskFailure {
    private static final long serialVersionUID = 1L;

    StepMisused(String message) {
        super(Failure.PERMANENT, message);
    }
}
