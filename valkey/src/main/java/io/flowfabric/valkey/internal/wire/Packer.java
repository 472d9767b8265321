package io.flowfabric.valkey.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Digest;

import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.Collection;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import java.util.function.BiConsumer;

/**
 * Writes values as functions on the server read them: MessagePack, of which lists, texts, whole
 * numbers and truth values are used. What is absent is written as false, because a list of the
 * server's language ends at its first gap.
 */
public final class Packer {
    private static final int FIX_LIST = 0x90;
    private static final int FIX_TEXT = 0xA0;
    private static final int FALSE = 0xC2;
    private static final int TRUE = 0xC3;
    private static final int LONG = 0xD3;
    private static final int TEXT_8 = 0xD9;
    private static final int TEXT_16 = 0xDA;
    private static final int TEXT_32 = 0xDB;
    private static final int LIST_16 = 0xDC;
    private static final int LIST_32 = 0xDD;

    private byte[] written = new byte[128];
    private int size;

    /** Begins a list of so many values, which are written next. */
    public Packer list(int count) {
        if (count < 16) {
            write(FIX_LIST | count);
        } else if (count <= 0xFFFF) {
            write(LIST_16);
            number(count, 2);
        } else {
            write(LIST_32);
            number(count, 4);
        }
        return this;
    }

    /** A list with one value for each item. */
    public <T> Packer list(Collection<? extends T> items, BiConsumer<Packer, ? super T> writer) {
        list(items.size());
        items.forEach(item -> writer.accept(this, item));
        return this;
    }

    /** A list of texts. */
    public Packer texts(Collection<String> texts) {
        return list(texts, Packer::text);
    }

    /** Bytes as they are. */
    public Packer bytes(byte[] bytes) {
        int length = bytes.length;
        if (length < 32) {
            write(FIX_TEXT | length);
        } else if (length <= 0xFF) {
            write(TEXT_8);
            number(length, 1);
        } else if (length <= 0xFFFF) {
            write(TEXT_16);
            number(length, 2);
        } else {
            write(TEXT_32);
            number(length, 4);
        }
        write(bytes);
        return this;
    }

    /** A text, in UTF-8. */
    public Packer text(String text) {
        return bytes(text.getBytes(UTF_8));
    }

    /** A whole number. */
    public Packer number(long number) {
        if (number >= -32 && number <= 127) {
            write((int) number & 0xFF);
        } else {
            write(LONG);
            number(number, Long.BYTES);
        }
        return this;
    }

    /** A truth value. */
    public Packer truth(boolean truth) {
        write(truth ? TRUE : FALSE);
        return this;
    }

    /** Nothing. */
    public Packer absent() {
        return truth(false);
    }

    /** A value that may be absent. */
    public <T> Packer optional(Optional<? extends T> value, BiConsumer<Packer, ? super T> writer) {
        value.ifPresentOrElse(some -> writer.accept(this, some), this::absent);
        return this;
    }

    /** A UUID, in sixteen bytes. */
    public Packer uuid(UUID uuid) {
        write(FIX_TEXT | 16);
        number(uuid.getMostSignificantBits(), Long.BYTES);
        number(uuid.getLeastSignificantBits(), Long.BYTES);
        return this;
    }

    /** A digest, as the bytes that it is. */
    public Packer digest(Digest digest) {
        return bytes(bytesOf(digest));
    }

    /** The bytes that a digest is. */
    public static byte[] bytesOf(Digest digest) {
        return HexFormat.of().parseHex(digest.hex());
    }

    /** A moment, in milliseconds. */
    public Packer moment(Instant moment) {
        return number(moment.toEpochMilli());
    }

    /** A duration, in milliseconds. */
    public Packer duration(Duration duration) {
        return number(duration.toMillis());
    }

    /** A value that was packed before. */
    public Packer packed(byte[] packed) {
        write(packed);
        return this;
    }

    /** Everything that was written. */
    public byte[] done() {
        return Arrays.copyOf(written, size);
    }

    private void number(long number, int bytes) {
        for (int shift = (bytes - 1) * Byte.SIZE; shift >= 0; shift -= Byte.SIZE) {
            write((int) (number >>> shift) & 0xFF);
        }
    }

    private void write(int one) {
        makeRoom(1);
        written[size++] = (byte) one;
    }

    private void write(byte[] bytes) {
        makeRoom(bytes.length);
        System.arraycopy(bytes, 0, written, size, bytes.length);
        size += bytes.length;
    }

    private void makeRoom(int more) {
        if (written.length - size < more) {
            written = Arrays.copyOf(written, Math.max(2 * written.length, size + more));
        }
    }
}
