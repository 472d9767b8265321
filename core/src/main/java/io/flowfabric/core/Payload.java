package io.flowfabric.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes with a content type. The bytes that come out are the bytes that went in; the engine never
 * looks into them.
 */
public final class Payload {
    /** No bytes. */
    public static final Payload EMPTY = new Payload(new byte[0], "application/octet-stream");

    private final byte[] bytes;
    private final String contentType;

    private Payload(byte[] bytes, String contentType) {
        this.bytes = bytes;
        this.contentType = Text.name("content type", contentType, Limit.NAME_BYTES);
    }

    /** A payload with a copy of these bytes. */
    public static Payload of(byte[] bytes, String contentType) {
        return new Payload(bytes.clone(), contentType);
    }

    /** A payload of plain text. */
    public static Payload text(String text) {
        return new Payload(text.getBytes(StandardCharsets.UTF_8), "text/plain; charset=utf-8");
    }

    /** A copy of the bytes. */
    public byte[] bytes() {
        return bytes.clone();
    }

    /** The bytes without a copy, for reading only. */
    public ByteBuffer view() {
        return ByteBuffer.wrap(bytes).asReadOnlyBuffer();
    }

    /** How many bytes there are. */
    public int size() {
        return bytes.length;
    }

    /** What the bytes are, as a media type. */
    public String contentType() {
        return contentType;
    }

    /** The bytes, read as UTF-8. */
    public String asText() {
        return new String(bytes, StandardCharsets.UTF_8);
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof Payload that
                && contentType.equals(that.contentType)
                && Arrays.equals(bytes, that.bytes);
    }

    @Override
    public int hashCode() {
        return 31 * Arrays.hashCode(bytes) + contentType.hashCode();
    }

    /** Shows the size and the type, never the bytes: they may be secret, and they may be large. */
    @Override
    public String toString() {
        return bytes.length + " bytes of " + contentType;
    }
}
