package io.flowfabric.core.codec;

import java.util.ArrayList;
import java.util.LinkedHashMap;

/** Reads JSON strictly: nothing that RFC 8259 does not allow, and no name twice in an object. */
final class JsonParser {
    private final String text;
    private int at;
    private int depth;

    JsonParser(String text) {
        this.text = text;
    }

    Json parse() {
        if (text.length() > Json.MAX_CHARS) {
            throw new IllegalArgumentException(
                    "a JSON text of %d characters is longer than %d"
                            .formatted(text.length(), Json.MAX_CHARS));
        }
        var value = value();
        skipSpace();
        if (at < text.length()) {
            throw wrong("nothing more was expected");
        }
        return value;
    }

    private Json value() {
        skipSpace();
        char c = peek();
        return switch (c) {
            case '{' -> object();
            case '[' -> array();
            case '"' -> Json.of(string());
            case 't' -> word("true", Json.of(true));
            case 'f' -> word("false", Json.of(false));
            case 'n' -> word("null", Json.JsonNull.NULL);
            default -> number();
        };
    }

    private Json object() {
        enter();
        var fields = new LinkedHashMap<String, Json>();
        if (!empty('}')) {
            do {
                skipSpace();
                if (peek() != '"') {
                    throw wrong("the name of a field was expected");
                }
                var name = string();
                skipSpace();
                expect(':');
                if (fields.put(name, value()) != null) {
                    throw wrong("the field " + name + " is there twice");
                }
            } while (another('}'));
        }
        depth--;
        return new Json.JsonObject(fields);
    }

    private Json array() {
        enter();
        var items = new ArrayList<Json>();
        if (!empty(']')) {
            do {
                items.add(value());
            } while (another(']'));
        }
        depth--;
        return new Json.JsonArray(items);
    }

    private void enter() {
        at++;
        if (++depth > Json.MAX_DEPTH) {
            throw wrong("arrays and objects lie deeper than " + Json.MAX_DEPTH);
        }
    }

    private boolean empty(char end) {
        skipSpace();
        if (peek() == end) {
            at++;
            return true;
        }
        return false;
    }

    private boolean another(char end) {
        skipSpace();
        if (peek() == ',') {
            at++;
            return true;
        }
        expect(end);
        return false;
    }

    private Json word(String word, Json value) {
        if (!text.startsWith(word, at)) {
            throw wrong("a value was expected");
        }
        at += word.length();
        return value;
    }

    private Json number() {
        int start = at;
        at = endOfNumber(text, at);
        if (at == start) {
            throw wrong("a value was expected");
        }
        return new Json.JsonNumber(text.substring(start, at));
    }

    /** Refuses what is no JSON number, such as {@code 01}, {@code .5} or {@code NaN}. */
    static void checkNumber(String literal) {
        if (literal.length() > Json.MAX_DIGITS) {
            throw new IllegalArgumentException(
                    "a number of %d characters is longer than %d"
                            .formatted(literal.length(), Json.MAX_DIGITS));
        }
        if (literal.isEmpty() || endOfNumber(literal, 0) != literal.length()) {
            throw new IllegalArgumentException("this is no JSON number: " + literal);
        }
    }

    /** Where the number that begins here ends; here when none begins. */
    private static int endOfNumber(String text, int start) {
        int whole = start + (isAt(text, start, '-') ? 1 : 0);
        int end = isAt(text, whole, '0') ? whole + 1 : endOfDigits(text, whole);
        if (end == whole) {
            return start;
        }
        if (isAt(text, end, '.')) {
            int fraction = endOfDigits(text, end + 1);
            if (fraction == end + 1) {
                return start;
            }
            end = fraction;
        }
        if (isAt(text, end, 'e') || isAt(text, end, 'E')) {
            int digits = end + 1;
            if (isAt(text, digits, '+') || isAt(text, digits, '-')) {
                digits++;
            }
            int exponent = endOfDigits(text, digits);
            if (exponent == digits) {
                return start;
            }
            end = exponent;
        }
        return end;
    }

    private static boolean isAt(String text, int at, char c) {
        return at < text.length() && text.charAt(at) == c;
    }

    private static int endOfDigits(String text, int start) {
        int end = start;
        while (end < text.length() && text.charAt(end) >= '0' && text.charAt(end) <= '9') {
            end++;
        }
        return end;
    }

    private String string() {
        int start = ++at;
        while (peek() != '"' && peek() != '\\') {
            plain();
        }
        if (peek() == '"') {
            return text.substring(start, at++);
        }
        var out = new StringBuilder(text.substring(start, at));
        while (peek() != '"') {
            out.append(peek() == '\\' ? escape() : plain());
        }
        at++;
        return out.toString();
    }

    private char plain() {
        char c = peek();
        if (c < ' ') {
            throw wrong("a control character must be escaped");
        }
        at++;
        return c;
    }

    private char escape() {
        at++;
        char c = peek();
        at++;
        return switch (c) {
            case '"', '\\', '/' -> c;
            case 'b' -> '\b';
            case 'f' -> '\f';
            case 'n' -> '\n';
            case 'r' -> '\r';
            case 't' -> '\t';
            case 'u' -> unit();
            default -> throw wrong("there is no such escape");
        };
    }

    private char unit() {
        int unit = 0;
        for (int i = 0; i < 4; i++) {
            int digit = "0123456789abcdef".indexOf(Character.toLowerCase(peek()));
            if (digit < 0) {
                throw wrong("four hexadecimal digits were expected");
            }
            unit = unit * 16 + digit;
            at++;
        }
        return (char) unit;
    }

    private void expect(char c) {
        if (peek() != c) {
            throw wrong("'" + c + "' was expected");
        }
        at++;
    }

    private char peek() {
        if (at >= text.length()) {
            throw wrong("the text ends too early");
        }
        return text.charAt(at);
    }

    private void skipSpace() {
        while (at < text.length() && " \t\n\r".indexOf(text.charAt(at)) >= 0) {
            at++;
        }
    }

    private IllegalArgumentException wrong(String what) {
        return new IllegalArgumentException("no JSON, at character %d: %s".formatted(at, what));
    }
}
