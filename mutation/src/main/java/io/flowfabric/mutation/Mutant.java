package io.flowfabric.mutation;

/**
 * A file of statements with one small change.
 *
 * @param line where the change is, counted from 1
 * @param begin the place in the file of what is replaced
 * @param before what is replaced
 * @param after what stands there instead
 * @param left what stands to the left of it in its line: where it is short, it says which it is
 * @param right what stands to the right of it
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
    /** How much of a line is told to each side of a change. */
    private static final int BESIDE = 24;

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
        int lineBegin = text.lastIndexOf('\n', begin - 1) + 1;
        int lineEnd = (text + '\n').indexOf('\n', end);
        return new Mutant(
                block,
                change,
                line,
                begin,
                text.substring(begin, end),
                after,
                text.substring(Math.max(lineBegin, begin - BESIDE), begin),
                text.substring(end, Math.min(lineEnd, end + BESIDE)));
    }

    /** The file with the change. */
    String applied(String text) {
        return text.substring(0, begin) + after + text.substring(begin + before.length());
    }

    /** What identifies it as long as its statement stays as it is, wherever in the file that is. */
    String name() {
        return "%s: %s: %s -> %s in: %s _ %s"
                .formatted(
                        block.name(),
                        change,
                        oneLine(before),
                        oneLine(after),
                        left.strip(),
                        right.strip())
                .strip();
    }

    private static String oneLine(String text) {
        return text.isBlank() ? "nothing" : text.strip().replaceAll("\\s+", " ");
    }

    @Override
    public String toString() {
        return "%s:%d  %s".formatted(block.file(), line, name());
    }
}
