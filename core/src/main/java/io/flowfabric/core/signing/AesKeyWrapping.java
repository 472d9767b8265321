package io.flowfabric.core.signing;

import io.flowfabric.core.Unavailable;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.security.SecureRandom;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** AES-GCM with a nonce of its own for each secret, bound to the name of the signing key. */
public final class AesKeyWrapping implements KeyWrapping {
    private static final String TRANSFORMATION = "AES/GCM/NoPadding";
    private static final int NONCE_BYTES = 12;
    private static final int TAG_BITS = 128;
    private static final int NAME_BYTES = 4;

    private final SecureRandom random = new SecureRandom();
    private final String name;
    private final Map<String, SecretKey> masters = new LinkedHashMap<>();

    private AesKeyWrapping(SecretKey master, List<SecretKey> former) {
        this.name = nameOf(master);
        former.forEach(before -> masters.put(nameOf(before), before));
        masters.put(name, master);
    }

    /**
     * Wraps with AES-GCM.
     *
     * @param master wraps from now on
     * @param former have wrapped what is still kept; they only unwrap
     */
    public static KeyWrapping of(SecretKey master, SecretKey... former) {
        return new AesKeyWrapping(master, List.of(former));
    }

    /** A few bytes of a digest: they tell master keys apart, and nothing about them. */
    private static String nameOf(SecretKey master) {
        try {
            var digest = MessageDigest.getInstance("SHA-256").digest(master.getEncoded());
            return "aes-" + HexFormat.of().formatHex(digest, 0, NAME_BYTES);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java has SHA-256", e);
        }
    }

    @Override
    public String name() {
        return name;
    }

    @Override
    public byte[] wrap(String key, byte[] secret) {
        var nonce = new byte[NONCE_BYTES];
        random.nextBytes(nonce);
        try {
            var sealed = cipher(Cipher.ENCRYPT_MODE, name, key, nonce).doFinal(secret);
            var wrapped = Arrays.copyOf(nonce, NONCE_BYTES + sealed.length);
            System.arraycopy(sealed, 0, wrapped, NONCE_BYTES, sealed.length);
            return wrapped;
        } catch (GeneralSecurityException e) {
            throw new Unavailable(
                    "The master key %s cannot wrap the key %s: %s. Give AES a key of 16, 24 or 32"
                                    .formatted(name, key, e.getMessage())
                            + " bytes.");
        }
    }

    @Override
    public byte[] unwrap(String by, String key, byte[] wrapped) {
        if (!masters.containsKey(by)) {
            throw new Unavailable(
                    "The key %s was wrapped by the master key %s, which is not here: open the store"
                                    .formatted(key, by)
                            + " with it, as a former one if another wraps now.");
        }
        try {
            return cipher(Cipher.DECRYPT_MODE, by, key, Arrays.copyOf(wrapped, NONCE_BYTES))
                    .doFinal(wrapped, NONCE_BYTES, wrapped.length - NONCE_BYTES);
        } catch (GeneralSecurityException | IllegalArgumentException e) {
            throw new Unavailable(
                    "The key %s is not as the master key %s has wrapped it: rotate the keys without a"
                                    .formatted(key, by)
                            + " grace, or wait until its grace is over.");
        }
    }

    private Cipher cipher(int mode, String by, String key, byte[] nonce)
            throws GeneralSecurityException {
        var cipher = Cipher.getInstance(TRANSFORMATION);
        cipher.init(mode, masters.get(by), new GCMParameterSpec(TAG_BITS, nonce));
        cipher.updateAAD(key.getBytes(StandardCharsets.UTF_8));
        return cipher;
    }
}
