package io.flowfabric.valkey.internal;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import java.util.function.Supplier;

/**
 * The parts of one call, which are done one after the other. Once one of them was done, a failure
 * of another does not say any more that nothing was applied.
 */
final class AppliedParts {
    private boolean applied;

    /** Does what follows something that was applied, and changes nothing itself. */
    static <T> T after(Supplier<T> part) {
        var parts = new AppliedParts();
        parts.applied = true;
        return parts.follow(part);
    }

    /** Does what follows something that was applied, and leads to no answer. */
    static void afterwards(Runnable part) {
        boolean unused =
                after(
                        () -> {
                            part.run();
                            return true;
                        });
    }

    /** Notes that something was sent that may be done, whatever becomes of the other parts. */
    void mayApply() {
        applied = true;
    }

    /** Does a part that changes something. */
    <T> T change(Supplier<T> part) {
        var done = follow(part);
        applied = true;
        return done;
    }

    /** Does a part that changes nothing. */
    <T> T follow(Supplier<T> part) {
        try {
            return part.get();
        } catch (StoreFailure | Unavailable failure) {
            if (!applied || (failure instanceof StoreFailure lost && lost.mayHaveApplied())) {
                throw failure;
            }
            throw new StoreFailure(
                    "Part of the call was done, and then the rest failed.", true, failure);
        }
    }
}
