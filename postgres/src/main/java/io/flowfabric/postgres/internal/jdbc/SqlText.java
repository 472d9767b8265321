package io.flowfabric.postgres.internal.jdbc;

import java.util.ArrayList;
import java.util.List;

/**
 * Turns the text of one statement with {@code :named} parameters into the driver's form with {@code
 * ?}.
 *
 * <p>What looks like a parameter inside of a string, a quoted name, a comment or a dollar quote is
 * none; neither is a {@code ::cast}, nor the colon of an array slice, which stands right behind a
 * word. A question mark of the author's own is an operator, and is doubled for the driver.
 */
final class SqlText {
    private final String name;
    private final String text;
    private final StringBuilder sql = new StringBuilder();
    private final List<String> parameters = new ArrayList<>();
    private int at;

    SqlText(String name, String text) {
        this.name = name;
        this.text = text.strip();
        while (at < this.text.length()) {
            step();
        }
    }

    String sql() {
        return sql.toString();
    }

    /** The names in the order of their question marks; a repeated one is here repeatedly. */
    List<String> parameters() {
        return parameters;
    }

    private void step() {
        switch (text.charAt(at)) {
            case '\'' -> copyTo(endOfString());
            case '"' -> copyTo(after("\"", at + 1));
            case '-' -> copyTo(next() == '-' ? endOfLine() : at + 1);
            case '/' -> copyTo(next() == '*' ? endOfComment() : at + 1);
            case '$' -> copyTo(endOfDollarQuote());
            case ':' -> colon();
            case '?' -> {
                sql.append("??");
                at++;
            }
            case ';' -> {
                if (!onlyCommentsFollow()) {
                    throw malformed(
                            "a second statement follows the first; give it a name of its own");
                }
                at = text.length();
            }
            default -> copyTo(at + 1);
        }
    }

    private void colon() {
        if (next() == ':' || next() == '=') {
            copyTo(at + 2);
        } else if (isNameStart(next()) && !behindWord()) {
            int end = at + 1;
            while (end < text.length() && isNamePart(text.charAt(end))) {
                end++;
            }
            parameters.add(text.substring(at + 1, end));
            sql.append('?');
            at = end;
        } else {
            copyTo(at + 1);
        }
    }

    /** Behind the closing quote of the string that begins here. */
    private int endOfString() {
        boolean escapes = at > 0 && (text.charAt(at - 1) == 'e' || text.charAt(at - 1) == 'E');
        for (int i = at + 1; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c == '\\' && escapes) {
                i++;
            } else if (c == '\'') {
                // A doubled quote is the end of one string and the start of the next, with the same
                // effect.
                return i + 1;
            }
        }
        throw malformed("a string is not closed");
    }

    private int endOfLine() {
        int end = text.indexOf('\n', at);
        return end < 0 ? text.length() : end;
    }

    private int endOfComment() {
        int depth = 0;
        for (int i = at; i + 1 < text.length(); i++) {
            if (text.startsWith("/*", i)) {
                depth++;
                i++;
            } else if (text.startsWith("*/", i)) {
                depth--;
                i++;
                if (depth == 0) {
                    return i + 1;
                }
            }
        }
        throw malformed("a comment is not closed");
    }

    private int endOfDollarQuote() {
        int end = at + 1;
        while (end < text.length() && isNamePart(text.charAt(end))) {
            end++;
        }
        boolean quote =
                end < text.length()
                        && text.charAt(end) == '$'
                        && !Character.isDigit(next())
                        && !behindWord();
        return quote ? after(text.substring(at, end + 1), end + 1) : at + 1;
    }

    private boolean onlyCommentsFollow() {
        int here = at;
        at++;
        while (at < text.length()) {
            if (text.startsWith("--", at)) {
                at = endOfLine();
            } else if (text.startsWith("/*", at)) {
                at = endOfComment();
            } else if (Character.isWhitespace(text.charAt(at)) || text.charAt(at) == ';') {
                at++;
            } else {
                at = here;
                return false;
            }
        }
        at = here;
        return true;
    }

    private int after(String closing, int from) {
        int end = text.indexOf(closing, from);
        if (end < 0) {
            throw malformed("a quote that begins with %s is not closed".formatted(closing));
        }
        return end + closing.length();
    }

    private void copyTo(int end) {
        sql.append(text, at, end);
        at = end;
    }

    private char next() {
        return at + 1 < text.length() ? text.charAt(at + 1) : '\0';
    }

    private boolean behindWord() {
        return at > 0 && isNamePart(text.charAt(at - 1));
    }

    private static boolean isNameStart(char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    }

    private static boolean isNamePart(char c) {
        return isNameStart(c) || (c >= '0' && c <= '9');
    }

    private IllegalArgumentException malformed(String what) {
        return new IllegalArgumentException("The statement %s: %s.".formatted(name, what));
    }
}
