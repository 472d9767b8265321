package io.flowfabric.core.stream;

import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;

import java.time.Instant;
import java.util.Objects;

/**
 * A piece of what a worker said in an attempt.
 *
 * @param position its id: how many frames were appended in the attempt before it
 * @param type a word that the worker has chosen
 * @param payload what it said
 * @param at when it was appended, by the clock of the store; never before an earlier frame
 */
public record StreamFrame(long position, FrameMode mode, String type, Payload payload, Instant at) {
    public StreamFrame {
        Limit.POSITION.checkRange("position", 0, position);
        Objects.requireNonNull(mode, "mode");
        Text.name("type", type, Limit.NAME_BYTES);
        Objects.requireNonNull(payload, "payload");
        Objects.requireNonNull(at, "at");
    }

    /** How many bytes it has with its type and its content type: what limits are about. */
    public long bytes() {
        return bytes(type, payload);
    }

    static long bytes(String type, Payload payload) {
        return (long) Text.utf8Length(type)
                + Text.utf8Length(payload.contentType())
                + payload.size();
    }
}
