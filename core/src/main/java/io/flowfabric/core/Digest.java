package io.flowfabric.core;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/**
 * The fingerprint of a request's content, by which a store recognises an honest repeat.
 *
 * <p>SHA-256 over fields that carry their length, so that no two different contents share one text.
 */
public record Digest(String hex) {
    private static final int LENGTH = 64;

    public Digest {
        if (hex.length() != LENGTH || !hex.chars().allMatch(Digest::isLowerHex)) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_ID,
                    "digest",
                    "It must be 64 lower-case hexadecimal digits.");
        }
    }

    /** Begins a digest; the purpose keeps the digests of different requests apart. */
    public static Builder of(String purpose) {
        return new Builder().text(purpose);
    }

    private static boolean isLowerHex(int c) {
        return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f');
    }

    /** Takes the fields of a content, one after the other. */
    public static final class Builder {
        private final MessageDigest sha;

        private Builder() {
            try {
                sha = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }

        /** Adds a text, with its length, so that two fields are never read as one. */
        public Builder text(String field) {
            return field(ByteBuffer.wrap(field.getBytes(StandardCharsets.UTF_8)));
        }

        /** Adds the content type and the bytes of a payload. */
        public Builder payload(Payload payload) {
            return text(payload.contentType()).field(payload.view());
        }

        /** Adds a number, as eight bytes. */
        public Builder number(long field) {
            return field(ByteBuffer.allocate(Long.BYTES).putLong(field).flip());
        }

        /** The digest of everything that was added. */
        public Digest done() {
            return new Digest(HexFormat.of().formatHex(sha.digest()));
        }

        private Builder field(ByteBuffer bytes) {
            sha.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.remaining()).flip());
            sha.update(bytes);
            return this;
        }
    }
}
