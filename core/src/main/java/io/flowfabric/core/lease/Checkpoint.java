package io.flowfabric.core.lease;

import io.flowfabric.core.Digest;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Text;

import java.util.Objects;

/**
 * A step that the holder of a lease wants recorded.
 *
 * @param name unique in its execution
 * @param content what later leases are given: a result, or whatever says how far the work is
 */
public record Checkpoint(Fence fence, String name, Payload content) {
    public Checkpoint {
        Objects.requireNonNull(fence, "fence");
        Text.name("step", name, Limit.NAME_BYTES);
        Objects.requireNonNull(content, "content");
        Limit.STEP_BYTES.checkSize("step", content.size(), "bytes");
    }

    /** How many bytes its step has: with the name and the content type. */
    public long bytes() {
        return Step.bytes(name, content);
    }

    /** The fingerprint by which a repeat is told from a contradiction. */
    public Digest digest() {
        return digest(content);
    }

    /** The fingerprint of what a step says. */
    public static Digest digest(Payload content) {
        return Digest.of("checkpoint").payload(content).done();
    }
}
