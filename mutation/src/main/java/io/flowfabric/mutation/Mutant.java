package io.flowfabric.mutation;

import java.util.List;
import java.util.regex.Pattern;

/**
 * A file of statements with one small change.
 *
 * @param line where the change is, counted from 1
 * @param begin the place in the file of what is replaced
 * @param before what is replaced
 * @param after what stands there instead
 * @param left the words to its left: where it is short, they say which it is
 * @param right the words to its right
 */
record Mutant(
        Block block,
        Change change,
        int line,
        int begin,
        String before,
        String after,
        String left,
        String right) {
    /** How many words are told to each side of a change. */
    private static final int BESIDE = 3;

    private static final Pattern COMMENT = Pattern.compile("--[^\\n]*");
    private static final Pattern SPACE = Pattern.compile("\\s+");

    /** What is done to a statement. */
    enum Change {
        CONDITION_DROPPED("condition dropped"),
        COMPARISON_CHANGED("comparison changed"),
        WRITE_SKIPPED("write skipped"),
        SHIFTED_BY_ONE("shifted by one");

        private final String words;

        Change(String words) {
            this.words = words;
        }

        @Override
        public String toString() {
            return words;
        }
    }

    static Mutant of(Block block, Change change, String text, int begin, int end, String after) {
        int line = 1 + (int) text.substring(0, begin).chars().filter(c -> c == '\n').count();
        var before = words(text.substring(block.begin(), begin));
        var behind = words(text.substring(end, block.end()));
        return new Mutant(
                block,
                change,
                line,
                begin,
                text.substring(begin, end),
                after,
                String.join(
                        " ", before.subList(Math.max(0, before.size() - BESIDE), before.size())),
                String.join(" ", behind.subList(0, Math.min(BESIDE, behind.size()))));
    }

    /** What stands between spaces, wherever lines end, and no comment. */
    private static List<String> words(String text) {
        return SPACE.splitAsStream(COMMENT.matcher(text).replaceAll(""))
                .filter(word -> !word.isEmpty())
                .toList();
    }

    /** The file with the change. */
    String applied(String text) {
        return text.substring(0, begin) + after + text.substring(begin + before.length());
    }

    /** What identifies it as long as its statement stays as it is, wherever in the file that is. */
    String name() {
        return "%s in: %s _ %s".formatted(description(), left, right).strip();
    }

    /** Whether it is in a file, in a statement, or of a kind that some words describe. */
    boolean isAbout(String some) {
        return (block.file() + ":" + line + "  " + description()).contains(some);
    }

    private String description() {
        return "%s: %s: %s -> %s".formatted(block.name(), change, oneLine(before), oneLine(after));
    }

    private static String oneLine(String text) {
        return text.isBlank() ? "nothing" : SPACE.matcher(text.strip()).replaceAll(" ");
    }

    @Override
    public String toString() {
        return "%s:%d  %s".formatted(block.file(), line, name());
    }
}
