package io.flowfabric.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

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

    /** Each kind is a group of its name; what is in none of them is not part of a statement. */
    private static final Pattern ANY =
            Pattern.compile(
                    """
                    (?:\\s+|--[^\\n]*|/\\*.*?\\*/)\
                    |(?<WORD>[A-Za-z_][A-Za-z0-9_]*)\
                    |(?<NUMBER>[0-9]+(?:\\.[0-9]+)?)\
                    |(?<STRING>'(?:[^']|'')*'|"[^"]*")\
                    |(?<HOLE>\\$\\{[^}]*}|(?<![:A-Za-z0-9_)\\]]):[A-Za-z_][A-Za-z0-9_]*)\
                    |(?<SIGN>::|<=|>=|<>|!=|\\|\\||->>|->|@>|<@|&&|.)\
                    """,
                    Pattern.DOTALL);

    /** What stands between two places of a file. */
    static List<Token> between(String file, int begin, int end) {
        var tokens = new ArrayList<Token>();
        var found = ANY.matcher(file).region(begin, end).useTransparentBounds(true);
        int depth = 0;
        while (found.find()) {
            var kind = kind(found);
            if (kind.isEmpty()) {
                continue;
            }
            var text = found.group();
            if (text.equals(")") || text.equals("]")) {
                depth--;
            }
            tokens.add(new Token(kind.get(), text, found.start(), found.end(), depth));
            if (text.equals("(") || text.equals("[")) {
                depth++;
            }
        }
        return tokens;
    }

    private static Optional<Kind> kind(Matcher found) {
        return Stream.of(Kind.values())
                .filter(kind -> found.group(kind.name()) != null)
                .findFirst();
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
