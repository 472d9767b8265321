package io.flowfabric.postgres;

import java.util.List;
import java.util.regex.Pattern;

/** A plan as the server ran it, in the words in which it explains it. */
record ExplainedPlan(String text) {
    private static final Pattern ENTRY =
            Pattern.compile("(?m)^(?=\\S.*LOG:  duration: [\\d.]+ ms  plan:)");
    private static final Pattern ROWS =
            Pattern.compile("actual time=[\\d.]+ rows=([\\d.]+) loops=(\\d+)");
    private static final Pattern REMOVED =
            Pattern.compile("(\\w* ?Rows Removed by [\\w ]+): (\\d+)");

    private static final Pattern PAGES = Pattern.compile("(?:hit|read)=(\\d+)");

    /** The plans of a statement in a log of the server. */
    static List<ExplainedPlan> of(String statement, String log) {
        var marker = "/* flowfabric:" + statement + " */";
        return ENTRY.splitAsStream(log)
                .filter(entry -> entry.contains(marker))
                .map(ExplainedPlan::new)
                .toList();
    }

    /** How many pages it looked at. */
    long pages() {
        // The first line with buffers is that of the whole plan.
        var line = text.lines().filter(l -> l.contains("Buffers: ")).findFirst().orElse("");
        return PAGES.matcher(line).results().mapToLong(m -> Long.parseLong(m.group(1))).sum();
    }

    /** The most rows that one of its steps produced or threw away. */
    double mostRows() {
        double most = 0;
        double loops = 1;
        for (String line : text.lines().toList()) {
            var rows = ROWS.matcher(line);
            if (rows.find()) {
                loops = Double.parseDouble(rows.group(2));
                most = Math.max(most, Double.parseDouble(rows.group(1)) * loops);
            }
            var removed = REMOVED.matcher(line);
            if (removed.find()) {
                most = Math.max(most, Double.parseDouble(removed.group(2)) * loops);
            }
        }
        return most;
    }
}
