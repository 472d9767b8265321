package io.flowfabric.examples;

import io.flowfabric.FabricOptions;
import io.flowfabric.PayloadCodec;
import io.flowfabric.core.Payload;

import org.jspecify.annotations.Nullable;

import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.SecureRandom;
import java.util.zip.DeflaterOutputStream;
import java.util.zip.InflaterInputStream;

import javax.crypto.Cipher;
import javax.crypto.SecretKey;
import javax.crypto.spec.GCMParameterSpec;

/** Compresses and encrypts what another codec writes. The store and its backups see no words. */
final class SealedPayloads implements PayloadCodec {
    private static final String SEALED = "application/vnd.example.sealed; of=";
    private static final int NONCE = 12;
    private static final int TAG_BITS = 128;

    private final PayloadCodec inner;
    private final SecretKey key;
    private final SecureRandom random = new SecureRandom();

    SealedPayloads(PayloadCodec inner, SecretKey key) {
        this.inner = inner;
        this.key = key;
    }

    static FabricOptions options(SecretKey key) {
        return FabricOptions.DEFAULT.codec(new SealedPayloads(PayloadCodec.json(), key));
    }

    @Override
    public Payload encode(@Nullable Object value) {
        var plain = inner.encode(value);
        var nonce = new byte[NONCE];
        random.nextBytes(nonce);
        var sealed = crypt(Cipher.ENCRYPT_MODE, nonce, deflated(plain.bytes()));
        var bytes = ByteBuffer.allocate(NONCE + sealed.length).put(nonce).put(sealed).array();
        return Payload.of(bytes, SEALED + plain.contentType());
    }

    @Override
    public <T> @Nullable T decode(Payload payload, Class<T> type) {
        if (!payload.contentType().startsWith(SEALED)) {
            return inner.decode(payload, type); // written before there was a key
        }
        var bytes = payload.bytes();
        var nonce = ByteBuffer.wrap(bytes).slice(0, NONCE);
        var sealed = ByteBuffer.wrap(bytes).slice(NONCE, bytes.length - NONCE);
        var plain = inflated(crypt(Cipher.DECRYPT_MODE, copy(nonce), copy(sealed)));
        var contentType = payload.contentType().substring(SEALED.length());
        return inner.decode(Payload.of(plain, contentType), type);
    }

    private byte[] crypt(int mode, byte[] nonce, byte[] bytes) {
        try {
            var cipher = Cipher.getInstance("AES/GCM/NoPadding");
            cipher.init(mode, key, new GCMParameterSpec(TAG_BITS, nonce));
            return cipher.doFinal(bytes);
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("The payload cannot be sealed or opened.", e);
        }
    }

    private static byte[] deflated(byte[] bytes) {
        var out = new ByteArrayOutputStream();
        try (var deflater = new DeflaterOutputStream(out)) {
            deflater.write(bytes);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return out.toByteArray();
    }

    private static byte[] inflated(byte[] bytes) {
        try (var inflater = new InflaterInputStream(new ByteArrayInputStream(bytes))) {
            return inflater.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static byte[] copy(ByteBuffer buffer) {
        var bytes = new byte[buffer.remaining()];
        buffer.get(bytes);
        return bytes;
    }
}
