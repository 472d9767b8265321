package io.flowfabric.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A word, number, string, parameter, fragment or sign of SQL, and where it stands in its file.
 *
 * @param depth in how many parentheses or brackets it is; those themselves are outside
 */
record Token(Kind kind, String text, int begin, int end, int depth) {
    enum Kind {
        WORD,
        NUMBER,
        STRING,
        /** {@code :name}, {@code ${schema}} or {@code ${>fragment}}. */
        HOLE,
        SIGN
    }

    /** In the order of {@link Kind}; what matches the first group is not part of a statement. */
    private static final Pattern ANY =
            Pattern.compile(
                    """
                    (\\s+|--[^\\n]*|/\\*.*?\\*/)\
                    |([A-Za-z_][A-Za-z0-9_]*)\
                    |([0-9]+(?:\\.[0-9]+)?)\
                    |('(?:[^']|'')*'|"[^"]*")\
                    |(\\$\\{[^}]*}|(?<![:A-Za-z0-9_)\\]]):[A-Za-z_][A-Za-z0-9_]*)\
                    |(::|<=|>=|<>|!=|\\|\\||->>|->|@>|<@|&&|.)\
                    """,
                    Pattern.DOTALL);

    /** What stands between two places of a file. */
    static List<Token> between(String file, int begin, int end) {
        var tokens = new ArrayList<Token>();
        var found = ANY.matcher(file).region(begin, end).useTransparentBounds(true);
        int depth = 0;
        while (found.find()) {
            if (found.group(1) != null) {
                continue;
            }
            var text = found.group();
            if (text.equals(")") || text.equals("]")) {
                depth--;
            }
            tokens.add(new Token(kind(found), text, found.start(), found.end(), depth));
            if (text.equals("(") || text.equals("[")) {
                depth++;
            }
        }
        return tokens;
    }

    private static Kind kind(Matcher found) {
        for (var kind : Kind.values()) {
            if (found.group(kind.ordinal() + 2) != null) {
                return kind;
            }
        }
        throw new IllegalStateException("no kind of token: " + found.group());
    }

    boolean is(String... words) {
        for (var word : words) {
            if (text.equals(word)) {
                return true;
            }
        }
        return false;
    }
}
