package io.flowfabric.core.signal;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;
import io.flowfabric.core.policy.Durations;

import java.time.Duration;
import java.util.Objects;
import java.util.Optional;

/**
 * A waitpoint that the holder of a lease wants opened before it waits there.
 *
 * @param expiresAfter how long it is open at most, if not as long as its execution lives
 */
public record OpenWaitpoint(Fence fence, String name, Optional<Duration> expiresAfter) {
    public OpenWaitpoint {
        Objects.requireNonNull(fence, "fence");
        Text.name("waitpoint", name, Limit.NAME_BYTES);
        expiresAfter = expiresAfter.map(wait -> Durations.checked("expiry", 1, wait));
    }

    /** A waitpoint that is open as long as its execution lives. */
    public OpenWaitpoint(Fence fence, String name) {
        this(fence, name, Optional.empty());
    }
}
