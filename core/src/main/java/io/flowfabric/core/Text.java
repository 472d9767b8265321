package io.flowfabric.core;

import java.nio.charset.StandardCharsets;

/**
 * The rules for text that people and wires must be able to carry: names are refused when they break
 * them, messages are mended.
 */
public final class Text {
    private static final int REPLACEMENT = 0xFFFD;

    private Text() {}

    /**
     * Returns a name that is not empty, fits its limit in UTF-8 bytes, and has no control character
     * or broken surrogate.
     */
    public static String name(String field, String value, Limit limit) {
        if (value.isEmpty()) {
            throw new Invalid(Invalid.Code.EMPTY, field, "It must not be empty.");
        }
        return line(field, value, limit);
    }

    /** Returns a line of text that may be empty, but otherwise keeps the rules of a name. */
    public static String line(String field, String value, Limit limit) {
        // The cheap test first: a hostile megabyte is not encoded just to be measured.
        if (value.length() > limit.max() || utf8Length(value) > limit.max()) {
            throw new Invalid(
                    Invalid.Code.TOO_LONG,
                    field,
                    "It is longer than the %d bytes that are accepted.".formatted(limit.max()));
        }
        for (int i = 0; i < value.length(); ) {
            int point = value.codePointAt(i);
            if (Character.isISOControl(point) || isSurrogate(point)) {
                throw new Invalid(
                        Invalid.Code.NOT_PRINTABLE,
                        field,
                        "The character U+%04X at position %d cannot be used.".formatted(point, i));
            }
            i += Character.charCount(point);
        }
        return value;
    }

    /**
     * Returns the message with what no store can keep replaced, and cut to its limit at a
     * character's border.
     */
    public static String mended(String message, Limit limit) {
        var mended = new StringBuilder(Math.min(message.length(), (int) limit.max()));
        long bytes = 0;
        for (int i = 0; i < message.length(); ) {
            int point = message.codePointAt(i);
            i += Character.charCount(point);
            int kept = point == 0 || isSurrogate(point) ? REPLACEMENT : point;
            bytes += utf8Length(kept);
            if (bytes > limit.max()) {
                break;
            }
            mended.appendCodePoint(kept);
        }
        return mended.toString();
    }

    /** How many bytes the text takes in UTF-8. */
    public static int utf8Length(String text) {
        return text.getBytes(StandardCharsets.UTF_8).length;
    }

    private static int utf8Length(int point) {
        if (point < 0x80) {
            return 1;
        }
        if (point < 0x800) {
            return 2;
        }
        return point < 0x10000 ? 3 : 4;
    }

    private static boolean isSurrogate(int point) {
        return point >= Character.MIN_SURROGATE && point <= Character.MAX_SURROGATE;
    }
}
