package io.flowfabric.core.signing;

import io.flowfabric.core.Invalid;

import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.regex.Pattern;

/** A secret with a name. The name travels with everything that the secret has sealed. */
public final class SigningKey {
    private static final int SECRET_BYTES = 32;
    private static final int ID_BYTES = 6;
    private static final Pattern ID = Pattern.compile("[0-9a-f]{%d}".formatted(2 * ID_BYTES));
    private static final SecureRandom RANDOM = new SecureRandom();

    private final String id;
    private final byte[] secret;

    /** A key as a store has kept it. */
    public SigningKey(String id, byte[] secret) {
        this.id = checkedId(id);
        if (secret.length < SECRET_BYTES) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "secret",
                    "It must have at least %d bytes.".formatted(SECRET_BYTES));
        }
        this.secret = secret.clone();
    }

    /** A new key of this name, with a secret drawn at random. */
    public static SigningKey mint(String id) {
        return new SigningKey(id, random(SECRET_BYTES));
    }

    /** A name that no key has yet. */
    public static String mintId() {
        return HexFormat.of().formatHex(random(ID_BYTES));
    }

    /** Refuses what is no name of a key, and returns it otherwise. */
    public static String checkedId(String id) {
        if (!isId(id)) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_ID,
                    "key id",
                    "It must be %d lower-case hexadecimal digits.".formatted(2 * ID_BYTES));
        }
        return id;
    }

    static boolean isId(String text) {
        return ID.matcher(text).matches();
    }

    /** The name of the key, which tokens carry so that the right key checks them. */
    public String id() {
        return id;
    }

    /** For the store that keeps it. */
    public byte[] secret() {
        return secret.clone();
    }

    /** Begins a seal over the fields of a text that serves one purpose. */
    Seal seal(String purpose) {
        return new Seal(secret).text(purpose).text(id);
    }

    private static byte[] random(int length) {
        var bytes = new byte[length];
        RANDOM.nextBytes(bytes);
        return bytes;
    }

    /** Without the secret, wherever it is printed. */
    @Override
    public String toString() {
        return "key " + id;
    }
}
