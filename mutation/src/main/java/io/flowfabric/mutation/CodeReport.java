package io.flowfabric.mutation;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/** What of the changes of code no test noticed, from the report of PIT: one line for each. */
final class CodeReport {
    private CodeReport() {}

    /**
     * The lines to show: each change that was not noticed and is not explained, and how many there
     * are of each kind.
     *
     * @param report the lines of PIT's CSV
     */
    static List<String> lines(List<String> report, Explained why) {
        var lines = new ArrayList<String>();
        int explained = 0;
        int noticed = 0;
        for (var line : report) {
            // File, class, mutator, method, line, outcome and the test that noticed.
            var fields = line.split(",", 7);
            var outcome = fields[5];
            if (outcome.equals("KILLED") || outcome.equals("TIMED_OUT")) {
                noticed++;
                continue;
            }
            var kind = fields[2].replaceFirst(".*\\.", "").replaceFirst("Mutator$", "");
            if (why.of("%s.%s: %s".formatted(fields[1], fields[3], kind)).isPresent()) {
                explained++;
                continue;
            }
            lines.add(
                    "%s.%s: %s, line %s, %s"
                            .formatted(
                                    fields[1],
                                    fields[3],
                                    kind,
                                    fields[4],
                                    outcome.equals("NO_COVERAGE")
                                            ? "no test runs it"
                                            : outcome.toLowerCase(Locale.ROOT)));
        }
        lines.add(
                "%d changes, %d noticed, %d not noticed and explained, %d not"
                        .formatted(report.size(), noticed, explained, lines.size()));
        return lines;
    }
}
