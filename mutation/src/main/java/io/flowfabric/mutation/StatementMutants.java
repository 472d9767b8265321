package io.flowfabric.mutation;

import io.flowfabric.mutation.Mutant.Change;
import io.flowfabric.mutation.Token.Kind;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The small changes of one statement.
 *
 * <p>This knows words and parentheses of SQL, and no grammar: a change that the server cannot parse
 * is found out when it is tried, and is not counted.
 */
final class StatementMutants {
    /** What each comparison becomes. */
    private static final Map<String, String> COMPARISONS =
            Map.ofEntries(
                    Map.entry("<", "<="),
                    Map.entry("<=", "<"),
                    Map.entry(">", ">="),
                    Map.entry(">=", ">"),
                    Map.entry("<>", "="),
                    Map.entry("=", "<>"),
                    Map.entry("least", "greatest"),
                    Map.entry("greatest", "least"),
                    Map.entry("min", "max"),
                    Map.entry("max", "min"),
                    Map.entry("bool_or", "bool_and"),
                    Map.entry("bool_and", "bool_or"));

    private static final Map<String, String> SHIFTS = Map.of("+", "-", "-", "+");

    private static final Set<String> BEFORE_CONDITION = Set.of("where", "and", "on", "having");

    /** What ends a condition that is not in parentheses. */
    private static final Set<String> AFTER_CONDITION =
            Set.of(
                    "and",
                    "or",
                    "where",
                    "on",
                    "having",
                    "group",
                    "order",
                    "limit",
                    "offset",
                    "returning",
                    "for",
                    "union",
                    "then",
                    "left",
                    "join",
                    "cross",
                    "inner",
                    "as",
                    "from",
                    "do",
                    "else",
                    "end",
                    "when",
                    "window",
                    ",");

    /** What ends the list of what an update sets. */
    private static final Set<String> AFTER_SET = Set.of("from", "where", "returning");

    private final Block block;
    private final String text;
    private final List<Token> tokens;
    private final List<Mutant> mutants = new ArrayList<>();

    private StatementMutants(Block block, String text) {
        this.block = block;
        this.text = text;
        this.tokens = Token.between(text, block.begin(), block.end());
    }

    static List<Mutant> of(Block block, String text) {
        var made = new StatementMutants(block, text);
        made.changeFragment();
        for (int i = 0; i < made.tokens.size(); i++) {
            made.changeAt(i);
        }
        return List.copyOf(made.mutants);
    }

    /** A fragment may be what several updates set, or a condition that several statements have. */
    private void changeFragment() {
        if (setsColumns()) {
            skipColumns(0);
        } else if (block.fragment() && compares()) {
            dropCondition(0);
        }
    }

    private boolean setsColumns() {
        return block.fragment() && tokens.size() > 2 && tokens.get(1).is("=");
    }

    private boolean compares() {
        return tokens.stream()
                .filter(token -> token.depth() == 0)
                .takeWhile(token -> !token.is("select", "with", "join", "as", ","))
                .anyMatch(
                        token ->
                                token.is("is", "any", "exists")
                                        || COMPARISONS.containsKey(token.text()));
    }

    private void changeAt(int i) {
        var token = tokens.get(i);
        compare(i, token);
        shift(i, token);
        if (BEFORE_CONDITION.contains(token.text()) && !betweenPair(i)) {
            dropCondition(i + 1);
        }
        if (token.is("set") && !previous(i).is("update")) {
            skipColumns(i + 1);
        }
        if (token.is("update", "delete", "insert") && beginsWrite(i)) {
            skipWrite(i);
        }
    }

    private void compare(int i, Token token) {
        var other = COMPARISONS.get(token.text());
        if (other != null && !(token.is("=") && assigns(i))) {
            boolean function = token.kind() == Kind.WORD;
            if (!function || next(i).is("(")) {
                replace(Change.COMPARISON_CHANGED, token.begin(), token.end(), other);
            }
        } else if (token.is("is")) {
            boolean not = next(i).is("not");
            replace(
                    Change.COMPARISON_CHANGED,
                    token.begin(),
                    not ? next(i).end() : token.end(),
                    not ? "is" : "is not");
        } else if (token.is("not") && !previous(i).is("is")) {
            replace(Change.COMPARISON_CHANGED, token.begin(), token.end(), "");
        } else if (token.is("exists") && !previous(i).is("not", "if")) {
            replace(Change.COMPARISON_CHANGED, token.begin(), token.end(), "not exists");
        }
    }

    private void shift(int i, Token token) {
        var other = SHIFTS.get(token.text());
        if (other != null && endsOperand(previous(i))) {
            replace(Change.SHIFTED_BY_ONE, token.begin(), token.end(), other);
        } else if (token.kind() == Kind.NUMBER
                && token.text().length() < 12
                && !token.text().contains(".")) {
            long shifted = Long.parseLong(token.text()) + 1;
            replace(Change.SHIFTED_BY_ONE, token.begin(), token.end(), "" + shifted);
        } else if (token.is("limit", "offset") && next(i).kind() != Kind.NUMBER) {
            int end = endOfExpression(i + 1, token.depth());
            replace(Change.SHIFTED_BY_ONE, end, end, " + 1");
        }
    }

    private void dropCondition(int from) {
        if (from >= tokens.size()) {
            return;
        }
        int end = endOfExpression(from, tokens.get(from).depth());
        int begin = tokens.get(from).begin();
        if (end > begin && !text.substring(begin, end).equals("true")) {
            replace(Change.CONDITION_DROPPED, begin, end, "true");
        }
    }

    /** Where what begins at a token ends, in the text. */
    private int endOfExpression(int from, int depth) {
        int end = tokens.get(from).begin();
        for (int i = from; i < tokens.size(); i++) {
            var token = tokens.get(i);
            boolean over =
                    token.depth() < depth
                            || (token.depth() == depth
                                    && AFTER_CONDITION.contains(token.text())
                                    && !betweenPair(i)
                                    && !(token.is("from") && previous(i).is("distinct")));
            if (over) {
                return end;
            }
            end = token.end();
        }
        return end;
    }

    /** Leaves out one column after the other of those that an update sets. */
    private void skipColumns(int from) {
        var begins = new ArrayList<Integer>();
        int depth = from < tokens.size() ? tokens.get(from).depth() : 0;
        int i = from;
        int end = text.length();
        begins.add(from);
        for (; i < tokens.size(); i++) {
            var token = tokens.get(i);
            if (token.depth() < depth
                    || (token.depth() == depth
                            && AFTER_SET.contains(token.text())
                            && !previous(i).is("distinct"))) {
                break;
            }
            end = token.end();
            if (token.depth() == depth && token.is(",")) {
                begins.add(i + 1);
            }
        }
        for (int n = 0; begins.size() > 1 && n < begins.size(); n++) {
            boolean last = n == begins.size() - 1;
            int begin =
                    last
                            ? tokens.get(begins.get(n) - 1).begin()
                            : tokens.get(begins.get(n)).begin();
            int stop = last ? end : tokens.get(begins.get(n + 1)).begin();
            replace(Change.WRITE_SKIPPED, begin, stop, "");
        }
    }

    /** Lets a whole write find nothing to write. */
    private void skipWrite(int i) {
        int depth = tokens.get(i).depth();
        for (int j = i + 1; j < tokens.size(); j++) {
            var token = tokens.get(j);
            if (token.depth() == depth && token.is("where")) {
                replace(Change.WRITE_SKIPPED, token.end(), token.end(), " false and");
                return;
            }
            if (token.depth() < depth
                    || (token.depth() == depth
                            && token.is("returning", "on", "group", "having", "order"))) {
                replace(Change.WRITE_SKIPPED, token.begin(), token.begin(), " where false ");
                return;
            }
        }
        int end = tokens.getLast().end();
        replace(Change.WRITE_SKIPPED, end, end, " where false");
    }

    private boolean beginsWrite(int i) {
        return i == 0
                || previous(i).is("(")
                || (previous(i).is(")") && !next(i).is("of"))
                || previous(i).text().startsWith("${>");
    }

    /** Whether an equals sign sets a column, or names an argument, and compares nothing. */
    private boolean assigns(int i) {
        int depth = tokens.get(i).depth();
        for (int j = i - 1; j >= 0; j--) {
            var token = tokens.get(j);
            if (token.depth() < depth) {
                return false;
            }
            if (token.depth() == depth) {
                if (token.is("set")) {
                    return true;
                }
                if (token.is(
                        "where",
                        "and",
                        "or",
                        "on",
                        "when",
                        "select",
                        "having",
                        "case",
                        "then",
                        "not",
                        "returning",
                        "else")) {
                    return false;
                }
            }
        }
        return depth == 0 && setsColumns();
    }

    /** Whether a word is the {@code and} of a {@code between}. */
    private boolean betweenPair(int i) {
        if (!tokens.get(i).is("and")) {
            return false;
        }
        for (int j = i - 1; j >= 0 && tokens.get(j).depth() >= tokens.get(i).depth(); j--) {
            if (tokens.get(j).depth() == tokens.get(i).depth()) {
                if (tokens.get(j).is("between")) {
                    return true;
                }
                if (tokens.get(j).is("and", "or", "where", "on", "when")) {
                    return false;
                }
            }
        }
        return false;
    }

    private static boolean endsOperand(Token token) {
        return token.kind() != Kind.SIGN || token.is(")", "]");
    }

    private Token previous(int i) {
        return i > 0 ? tokens.get(i - 1) : new Token(Kind.SIGN, "", 0, 0, 0);
    }

    private Token next(int i) {
        return i + 1 < tokens.size() ? tokens.get(i + 1) : new Token(Kind.SIGN, "", 0, 0, 0);
    }

    private void replace(Change change, int begin, int end, String after) {
        mutants.add(Mutant.of(block, change, text, begin, end, after));
    }
}
