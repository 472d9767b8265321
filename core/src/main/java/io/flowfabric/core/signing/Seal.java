package io.flowfabric.core.signing;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.Base64;

import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * Proof that the writer of the fields knew the secret: HMAC-SHA256 over the version of this form
 * and the fields, each behind its length, so that no two contents share one message.
 */
final class Seal {
    private static final String ALGORITHM = "HmacSHA256";
    private static final long VERSION = 1;

    private final Mac mac;

    Seal(byte[] secret) {
        try {
            mac = Mac.getInstance(ALGORITHM);
            mac.init(new SecretKeySpec(secret, ALGORITHM));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java platform has " + ALGORITHM, e);
        }
        number(VERSION);
    }

    Seal text(String field) {
        return field(field.getBytes(StandardCharsets.UTF_8));
    }

    Seal number(long field) {
        return field(ByteBuffer.allocate(Long.BYTES).putLong(field).array());
    }

    /** The seal as it travels. */
    String done() {
        return Base64.getUrlEncoder().withoutPadding().encodeToString(mac.doFinal());
    }

    /**
     * Whether a text is this seal. The whole text is compared whatever its first characters are, so
     * that an attacker cannot find the seal out piece by piece; and as text, so that it has one
     * spelling.
     */
    boolean matches(String other) {
        return MessageDigest.isEqual(
                done().getBytes(StandardCharsets.US_ASCII), other.getBytes(StandardCharsets.UTF_8));
    }

    private Seal field(byte[] bytes) {
        mac.update(ByteBuffer.allocate(Integer.BYTES).putInt(bytes.length).flip());
        mac.update(bytes);
        return this;
    }
}
