package io.flowfabric.core.lease;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;

import java.time.Instant;
import java.util.Objects;

/**
 * A part of an execution that is done, and is not done again: recorded under a lease, and given to
 * every later one.
 *
 * @param name unique in its execution
 * @param content what the worker recorded
 * @param attempt in which it was recorded, from 0
 * @param recorded when, by the clock of the store
 */
public record Step(String name, Payload content, int attempt, Instant recorded) {
    public Step {
        Text.name("step", name, Limit.NAME_BYTES);
        Objects.requireNonNull(content, "content");
        Objects.requireNonNull(recorded, "recorded");
    }

    /** How many bytes it has with its name and its content type: what limits are about. */
    public long bytes() {
        return bytes(name, content);
    }

    static long bytes(String name, Payload content) {
        return (long) Text.utf8Length(name)
                + Text.utf8Length(content.contentType())
                + content.size();
    }
}
