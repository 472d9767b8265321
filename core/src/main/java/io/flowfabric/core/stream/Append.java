package io.flowfabric.core.stream;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;

import java.nio.charset.StandardCharsets;
import java.time.Instant;
import java.util.Objects;

/**
 * A frame that the holder of a lease wants appended to the stream of its attempt.
 *
 * @param position where it is to stand, which is behind all that were appended before, from 0: by
 *     this a repeat after a lost answer is known. Later leases of the attempt count on
 * @param type a word of the worker's choice, by which readers tell frames apart
 * @param payload what is said; of a summary a JSON object
 */
public record Append(Fence fence, long position, FrameMode mode, String type, Payload payload) {
    public Append {
        Objects.requireNonNull(fence, "fence");
        Limit.POSITION.checkRange("position", 0, position);
        Objects.requireNonNull(mode, "mode");
        Text.name("type", type, Limit.NAME_BYTES);
        Objects.requireNonNull(payload, "payload");
        Limit.FRAME_BYTES.checkSize("frame", payload.size(), "bytes");
    }

    /** A frame that is kept as long as its execution. */
    public static Append durable(Fence fence, long position, String type, Payload payload) {
        return new Append(fence, position, FrameMode.DURABLE, type, payload);
    }

    /** A frame that is kept until there are enough newer ones. */
    public static Append live(Fence fence, long position, String type, Payload payload) {
        return new Append(fence, position, FrameMode.LIVE, type, payload);
    }

    /**
     * A frame that changes the summary of the attempt.
     *
     * @param patch a merge patch (RFC 7396): a JSON object
     */
    public static Append summary(Fence fence, long position, String type, String patch) {
        var payload =
                Payload.of(patch.getBytes(StandardCharsets.UTF_8), "application/merge-patch+json");
        return new Append(fence, position, FrameMode.SUMMARY, type, payload);
    }

    /** How many bytes its frame has: with the type and the content type. */
    public long bytes() {
        return StreamFrame.bytes(type, payload);
    }

    /** The frame that it becomes. */
    public StreamFrame at(Instant moment) {
        return new StreamFrame(position, mode, type, payload, moment);
    }

    /** Whether a frame says the same. */
    public boolean says(StreamFrame frame) {
        return mode == frame.mode() && type.equals(frame.type()) && payload.equals(frame.payload());
    }
}
