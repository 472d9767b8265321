package io.flowfabric.core.lease;

import io.flowfabric.core.Fence;
import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

import java.util.Objects;

/**
 * How far a worker is.
 *
 * @param percent 0 to 100
 * @param message in words; may be empty; mended and cut when it is not fit to be kept
 */
public record Progress(Fence fence, int percent, String message) {
    public Progress {
        Objects.requireNonNull(fence, "fence");
        if (percent < 0 || percent > 100) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE, "percent", percent + " is outside of 0 to 100.");
        }
        message = Text.mended(message, Limit.MESSAGE_BYTES);
    }
}
