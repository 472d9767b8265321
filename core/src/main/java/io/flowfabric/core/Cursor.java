package io.flowfabric.core;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Base64;

/**
 * A place in a feed or in a listing, to go on from. It is opaque to everyone but the store that
 * made it.
 *
 * <p>The text is one of the words {@code start}, {@code now} and {@code end}, or base64url of a
 * version, a purpose, the store's position and a checksum, so that a cut, altered or misplaced
 * cursor is refused instead of silently read as another place.
 */
public record Cursor(String text) {
    /** Before everything: the first page of a listing, all events of a feed that are kept. */
    public static final Cursor START = new Cursor("start");

    /** For a feed alone: what happens from the call on that it is given to. */
    public static final Cursor NOW = new Cursor("now");

    /**
     * What the last page of a listing has as its {@link Page#next}. No listing and no feed goes on
     * from here.
     */
    public static final Cursor END = new Cursor("end");

    private static final byte VERSION = 1;
    private static final int HEADER = 2;
    private static final int CHECKSUM = 2;
    private static final int CHECKSUM_MASK = 0x5AA5;
    private static final int LONGEST = 4096;

    /** What a cursor is a place in; one kind is never read as the other. */
    public enum Purpose {
        /** A place in a feed of events. */
        FEED('f', "feed", "start or now"),
        /** A place in a listing. */
        LISTING('l', "listing", "start");

        private final byte tag;
        private final String word;
        private final String beginnings;

        Purpose(char tag, String word, String beginnings) {
            this.tag = (byte) tag;
            this.word = word;
            this.beginnings = beginnings;
        }
    }

    /**
     * @throws Invalid when the text is no cursor
     */
    public Cursor {
        if (!isWord(text)) {
            decode(text);
        }
    }

    private static boolean isWord(String text) {
        return switch (text) {
            case "start", "now", "end" -> true;
            default -> false;
        };
    }

    /** The cursor that stands for a store's own position. */
    public static Cursor at(Purpose purpose, byte[] position) {
        var body =
                ByteBuffer.allocate(HEADER + position.length)
                        .put(VERSION)
                        .put(purpose.tag)
                        .put(position)
                        .array();
        var whole =
                ByteBuffer.allocate(body.length + CHECKSUM)
                        .put(body)
                        .putShort(checksum(body))
                        .array();
        return new Cursor(Base64.getUrlEncoder().withoutPadding().encodeToString(whole));
    }

    /**
     * The store's own position.
     *
     * @throws Invalid when this is a cursor for something else, or {@link #START}, {@link #NOW} or
     *     {@link #END}
     */
    public byte[] position(Purpose purpose) {
        if (isWord(text)) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_CURSOR,
                    "cursor",
                    "%s is no place that a %s can go on from; begin again with %s."
                            .formatted(text, purpose.word, purpose.beginnings));
        }
        var body = decode(text);
        if (body[1] != purpose.tag) {
            throw malformed();
        }
        return Arrays.copyOfRange(body, HEADER, body.length);
    }

    /** The refusal of a cursor that a store cannot have made. */
    public static Invalid malformed() {
        return new Invalid(
                Invalid.Code.MALFORMED_CURSOR,
                "cursor",
                "It is not one that was given out here; begin again with start, or with now in a"
                        + " feed.");
    }

    /** The refusal of a cursor whose place in the feed has been dropped by retention. */
    public static Invalid expired() {
        return new Invalid(
                Invalid.Code.CURSOR_EXPIRED,
                "cursor",
                "What came after it is no longer kept; read the current state, then go on from"
                        + " now.");
    }

    /** The refusal of a cursor into a log that has since been replaced by a copy of itself. */
    public static Invalid restored() {
        return new Invalid(
                Invalid.Code.CURSOR_RESTORED,
                "cursor",
                "The log was restored from a copy since it was given out, so it is not known what"
                        + " came after it; read the current state, then go on from now, or read"
                        + " everything that is kept again from start.");
    }

    /**
     * Not the bare CRC: that of a text with its own CRC behind it is zero, and stays so when zeros
     * follow.
     */
    private static short checksum(byte[] body) {
        return (short) (Partition.crc16(body) ^ CHECKSUM_MASK);
    }

    private static byte[] decode(String text) {
        byte[] whole;
        try {
            whole = text.length() > LONGEST ? new byte[0] : Base64.getUrlDecoder().decode(text);
        } catch (IllegalArgumentException notBase64) {
            throw malformed();
        }
        if (whole.length < HEADER + CHECKSUM || whole[0] != VERSION) {
            throw malformed();
        }
        var body = Arrays.copyOf(whole, whole.length - CHECKSUM);
        short checksum = ByteBuffer.wrap(whole).getShort(body.length);
        boolean canonical =
                Base64.getUrlEncoder().withoutPadding().encodeToString(whole).equals(text);
        if (checksum != checksum(body) || !canonical) {
            throw malformed();
        }
        return body;
    }

    @Override
    public String toString() {
        return text;
    }
}
