package io.flowfabric;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;

import org.jspecify.annotations.Nullable;

/**
 * How values become the bytes that are stored, and bytes become values again.
 *
 * <p>What is stored is what this returns, byte for byte and with its content type. A codec that
 * encrypts or compresses wraps another one, and names what it did in the content type.
 *
 * <p>What one process writes another may read years later: a new version of a codec reads what the
 * old one wrote.
 */
public interface PayloadCodec {
    /**
     * The bytes of a value; of null too. A {@link Payload} is itself.
     *
     * @throws Invalid when the value cannot be written
     */
    Payload encode(@Nullable Object value);

    /**
     * The value of bytes. Whoever asks for a {@link Payload} gets them as they are.
     *
     * @return null when null was written
     * @throws Invalid when they do not say such a value
     */
    <T> @Nullable T decode(Payload payload, Class<T> type);

    /** JSON by Jackson: records, {@code java.time}, collections. Unknown properties are ignored. */
    static PayloadCodec json() {
        return JsonPayloads.DEFAULT;
    }
}
