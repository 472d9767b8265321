package io.flowfabric.core.policy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Limit;
import io.flowfabric.core.Text;

/**
 * One capability, taken apart: a word, {@code gpu}; an attribute, {@code region=eu}; or a
 * comparison of an attribute with a version, {@code torch>=2.3}.
 */
sealed interface Capability {
    /** What is met by exactly the same text. */
    record Word(String text) implements Capability {}

    /** What is met by an offered version of the key. */
    record Comparison(String key, Sign sign, Version version) implements Capability {
        boolean accepts(Version offered) {
            int order = offered.compareTo(version);
            return switch (sign) {
                case AT_LEAST -> order >= 0;
                case MORE -> order > 0;
                case AT_MOST -> order <= 0;
                case LESS -> order < 0;
            };
        }
    }

    /** The ways to compare. */
    enum Sign {
        AT_LEAST(">="),
        AT_MOST("<="),
        MORE(">"),
        LESS("<");

        private final String written;

        Sign(String written) {
            this.written = written;
        }
    }

    /** What would be taken for a part of the key by mistake, as in {@code region!=eu}. */
    String FOREIGN_SIGNS = "!~^:";

    /** Whether a capability that was checked compares. A look at it is enough. */
    static boolean compares(String checked) {
        return checked.indexOf('<') >= 0 || checked.indexOf('>') >= 0;
    }

    /**
     * Reads a capability.
     *
     * @throws Invalid when it is none, with what is wrong about it
     */
    static Capability parse(String text) {
        Text.name("capability", text, Limit.CAPABILITY_BYTES);
        if (text.codePoints()
                .anyMatch(c -> c == ',' || Character.isWhitespace(c) || Character.isSpaceChar(c))) {
            throw malformed("A capability holds no comma and no white space.");
        }
        int place = firstSign(text);
        if (place == text.length()) {
            return new Word(text);
        }
        var key = text.substring(0, place);
        if (key.isEmpty()) {
            throw malformed("There is no key before the sign in %s.".formatted(text));
        }
        if (FOREIGN_SIGNS.indexOf(key.charAt(key.length() - 1)) >= 0) {
            throw malformed("%s has a sign that is none of = >= > <= <.".formatted(text));
        }
        return text.charAt(place) == '=' ? attribute(text, place) : comparison(text, key, place);
    }

    private static Capability attribute(String text, int place) {
        value(text, place + 1);
        return new Word(text);
    }

    private static Capability comparison(String text, String key, int place) {
        for (Sign sign : Sign.values()) {
            if (text.startsWith(sign.written, place)) {
                var value = value(text, place + sign.written.length());
                var version = Version.parse(value);
                return new Comparison(
                        key,
                        sign,
                        version.orElseThrow(
                                () ->
                                        malformed(
                                                "%s compares with %s, which is no version like 2.3 or 2.3.0-rc1."
                                                        .formatted(text, value))));
            }
        }
        throw new IllegalStateException("no sign at " + place + " of " + text);
    }

    private static String value(String text, int start) {
        var value = text.substring(start);
        if (value.isEmpty()) {
            throw malformed("There is no value after the sign in %s.".formatted(text));
        }
        if (firstSign(value) < value.length()) {
            throw malformed("The value in %s holds a sign: = < or >.".formatted(text));
        }
        return value;
    }

    private static int firstSign(String text) {
        int place = 0;
        while (place < text.length() && "=<>".indexOf(text.charAt(place)) < 0) {
            place++;
        }
        return place;
    }

    private static Invalid malformed(String explanation) {
        return new Invalid(Invalid.Code.MALFORMED_CAPABILITY, "capability", explanation);
    }
}
