package io.flowfabric;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.stream.Append;
import io.flowfabric.engine.Engine;
import io.flowfabric.worker.Task;

import java.util.List;

/** What a handler says while it works, behind what was said in its attempt before. */
final class TaskStream {
    private static final int UNKNOWN = -1;

    private final Task task;
    private final Engine engine;
    private long position = UNKNOWN;

    TaskStream(Task task, Engine engine) {
        this.task = task;
        this.engine = engine;
    }

    synchronized void append(String type, Payload payload) {
        Fence fence = task.fence();
        if (position == UNKNOWN) {
            position = engine.streams().tail(fence.execution(), fence.attempt(), 0, 1).end();
        }
        var frame = Append.durable(fence, position, type, payload);
        // Without an answer the frame may be there or not: the next one asks where it is to stand.
        position = UNKNOWN;
        position = engine.leases().append(List.of(frame)).getFirst().orThrow();
    }
}
