package io.flowfabric.faults;

import io.flowfabric.core.Advice;
import io.flowfabric.core.FlowFabricException;

import java.time.Duration;
import java.util.function.Supplier;

/** Does what a well-behaved caller does about an error: whatever the error advises. */
final class Persistence {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration PAUSE = Duration.ofMillis(20);

    private Persistence() {}

    /** Repeats a call unchanged for as long as its error advises that. */
    static <T> T repeat(Supplier<T> call) {
        long began = System.nanoTime();
        while (true) {
            try {
                return call.get();
            } catch (FlowFabricException e) {
                if (e.advice() != Advice.REPEAT_LATER
                        || System.nanoTime() - began > PATIENCE.toNanos()) {
                    throw e;
                }
                Waiting.pause(PAUSE);
            }
        }
    }
}
