package io.flowfabric.valkey.internal.wire;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.Digest;

import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * A value as functions on the server write it, and as it is stored: MessagePack, of which lists,
 * texts, numbers and truth values are used. What is absent is false.
 *
 * <p>Whoever asks for something else than it is gets {@link Unreadable}.
 */
public sealed interface Item {
    /** Of the digests that are stored. */
    int DIGEST_BYTES = 32;

    /** Some values in order. */
    record Items(List<Item> values) implements Item {}

    /** Bytes, which may be a text. */
    @SuppressWarnings("ArrayRecordComponent") // They are read and passed on, never compared.
    record Bytes(byte[] value) implements Item {}

    /** A number. The language of the server has no other than this, which is exact up to 2^53. */
    record Real(double value) implements Item {}

    /** A whole number that was written as one. */
    record Whole(long value) implements Item {}

    /** A truth value. */
    record Truth(boolean value) implements Item {}

    /** What is stored is not what was expected there: damaged, or of a newer program. */
    final class Unreadable extends RuntimeException {
        private static final long serialVersionUID = 1;

        Unreadable(String message) {
            super(message);
        }

        Unreadable(RuntimeException cause) {
            super(cause.getMessage(), cause);
        }
    }

    /** Says that what is stored is not what was expected. */
    static Unreadable unreadable(String why) {
        return new Unreadable(why);
    }

    /**
     * Decodes what is stored. What the words of a record refuse is as unreadable as bytes that are
     * none of ours: a newer program may know better.
     *
     * @throws Unreadable whatever is wrong with it
     */
    static <T> T decoded(Supplier<T> decoder) {
        try {
            return decoder.get();
        } catch (Unreadable damaged) {
            throw damaged;
        } catch (RuntimeException refused) {
            throw new Unreadable(refused);
        }
    }

    /** Reads one value. */
    static Item read(byte[] packed) {
        var in = ByteBuffer.wrap(packed);
        try {
            var item = read(in);
            if (in.hasRemaining()) {
                throw new Unreadable("something follows a packed value");
            }
            return item;
        } catch (BufferUnderflowException e) {
            throw new Unreadable("a packed value is cut off");
        }
    }

    private static Item read(ByteBuffer in) {
        int code = in.get() & 0xFF;
        if (code < 0x80) {
            return new Whole(code);
        }
        if (code >= 0xE0) {
            return new Whole((byte) code);
        }
        if (code >= 0x90 && code < 0xA0) {
            return items(in, code & 0x0F);
        }
        if (code >= 0xA0 && code < 0xC0) {
            return bytes(in, code & 0x1F);
        }
        return switch (code) {
            // An empty list may be written as an empty map.
            case 0x80 -> items(in, 0);
            case 0xC0, 0xC2 -> new Truth(false);
            case 0xC3 -> new Truth(true);
            case 0xCA -> new Real(in.getFloat());
            case 0xCB -> new Real(in.getDouble());
            case 0xCC -> new Whole(in.get() & 0xFF);
            case 0xCD -> new Whole(in.getShort() & 0xFFFF);
            case 0xCE -> new Whole(in.getInt() & 0xFFFFFFFFL);
            case 0xCF, 0xD3 -> new Whole(in.getLong());
            case 0xD0 -> new Whole(in.get());
            case 0xD1 -> new Whole(in.getShort());
            case 0xD2 -> new Whole(in.getInt());
            case 0xC4, 0xD9 -> bytes(in, in.get() & 0xFF);
            case 0xC5, 0xDA -> bytes(in, in.getShort() & 0xFFFF);
            case 0xC6, 0xDB -> bytes(in, in.getInt());
            case 0xDC -> items(in, in.getShort() & 0xFFFF);
            case 0xDD -> items(in, in.getInt());
            default -> throw new Unreadable("no packed value begins with " + code);
        };
    }

    private static Item items(ByteBuffer in, int size) {
        if (size < 0 || size > in.remaining()) {
            throw new Unreadable("a packed list is cut off");
        }
        var values = new ArrayList<Item>(size);
        for (int i = 0; i < size; i++) {
            values.add(read(in));
        }
        return new Items(values);
    }

    private static Item bytes(ByteBuffer in, int size) {
        if (size < 0 || size > in.remaining()) {
            throw new Unreadable("packed bytes are cut off");
        }
        var value = new byte[size];
        in.get(value);
        return new Bytes(value);
    }

    /** Whether it is absent, or not so. */
    default boolean isAbsent() {
        return this instanceof Truth truth && !truth.value;
    }

    /** A truth value. */
    default boolean truth() {
        if (this instanceof Truth truth) {
            return truth.value;
        }
        throw unexpected("a truth value");
    }

    /** The values of a list. */
    default List<Item> list() {
        if (this instanceof Items items) {
            return items.values;
        }
        throw unexpected("a list");
    }

    /** A value of a list, by its place from 0. */
    default Item at(int place) {
        var list = list();
        if (place >= list.size()) {
            throw unexpected("a longer list");
        }
        return list.get(place);
    }

    /** The values of a list, each read in the same way. */
    default <T> List<T> list(Function<Item, T> reader) {
        return list().stream().map(reader).toList();
    }

    /** Bytes. */
    default byte[] bytes() {
        if (this instanceof Bytes bytes) {
            return bytes.value;
        }
        throw unexpected("bytes");
    }

    /** A text. */
    default String text() {
        return new String(bytes(), UTF_8);
    }

    /** A whole number. */
    default long number() {
        return switch (this) {
            case Whole whole -> whole.value;
            case Real number when number.value == Math.rint(number.value) -> (long) number.value;
            default -> throw unexpected("a whole number");
        };
    }

    /** A small whole number. */
    default int small() {
        long number = number();
        if (number != (int) number) {
            throw unexpected("a small number");
        }
        return (int) number;
    }

    /** A UUID. */
    default UUID uuid() {
        var bytes = bytes();
        if (bytes.length != 2 * Long.BYTES) {
            throw unexpected("a UUID");
        }
        var in = ByteBuffer.wrap(bytes);
        return new UUID(in.getLong(), in.getLong());
    }

    /** A digest. */
    default Digest digest() {
        var bytes = bytes();
        if (bytes.length != DIGEST_BYTES) {
            throw unexpected("a digest");
        }
        return new Digest(HexFormat.of().formatHex(bytes));
    }

    /** A moment. */
    default Instant moment() {
        return Instant.ofEpochMilli(number());
    }

    /** A duration. */
    default Duration duration() {
        return Duration.ofMillis(number());
    }

    /** A value that may be absent. */
    default <T> Optional<T> optional(Function<Item, T> reader) {
        return isAbsent() ? Optional.empty() : Optional.of(reader.apply(this));
    }

    private Unreadable unexpected(String wanted) {
        return new Unreadable("%s is %s".formatted(getClass().getSimpleName(), "not " + wanted));
    }
}
