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
        if (hex.length() != LENGTH || !isLowerHex(hex)) {
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

    private static boolean isLowerHex(String text) {
        for (int n = 0; n < text.length(); n++) {
            char c = text.charAt(n);
            if ((c < '0' || c > '9') && (c < 'a' || c > 'f')) {
                return false;
            }
        }
        return true;
    }

    /** Takes the fields of a content, one after the other. */
    public static final class Builder {
        /** Room for the small fields of most contents: they are digested together. */
        private static final int ROOM = 512;

        private final MessageDigest sha;
        private final ByteBuffer waiting = ByteBuffer.allocate(ROOM);

        private Builder() {
            try {
                sha = MessageDigest.getInstance("SHA-256");
            } catch (NoSuchAlgorithmException e) {
                throw new IllegalStateException("every Java platform has SHA-256", e);
            }
        }

        /** Adds a text, with its length, so that two fields are never read as one. */
        public Builder text(String field) {
            var bytes = field.getBytes(StandardCharsets.UTF_8);
            return length(bytes.length).bytes(ByteBuffer.wrap(bytes));
        }

        /** Adds the content type and the bytes of a payload. */
        public Builder payload(Payload payload) {
            var bytes = payload.view();
            return text(payload.contentType()).length(bytes.remaining()).bytes(bytes);
        }

        /** Adds a number, as eight bytes. */
        public Builder number(long field) {
            length(Long.BYTES).makeRoom(Long.BYTES);
            waiting.putLong(field);
            return this;
        }

        /** The digest of everything that was added. */
        public Digest done() {
            digestWaiting();
            return new Digest(HexFormat.of().formatHex(sha.digest()));
        }

        private Builder length(int length) {
            makeRoom(Integer.BYTES);
            waiting.putInt(length);
            return this;
        }

        private Builder bytes(ByteBuffer bytes) {
            if (bytes.remaining() > ROOM) {
                digestWaiting();
                sha.update(bytes);
            } else {
                makeRoom(bytes.remaining());
                waiting.put(bytes);
            }
            return this;
        }

        private void makeRoom(int bytes) {
            if (waiting.remaining() < bytes) {
                digestWaiting();
            }
        }

        private void digestWaiting() {
            sha.update(waiting.flip());
            waiting.clear();
        }
    }
}
