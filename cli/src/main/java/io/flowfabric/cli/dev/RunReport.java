package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.Colours;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.query.ExecutionView;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.stream.Collectors;

/**
 * What the database says about a run.
 *
 * @param found the executions of each fate
 * @param differences what is not as it should be, a sentence each
 */
record RunReport(Map<Fate, List<ExecutionView>> found, List<String> differences) {
    private static final String ROW = "%-27s %5s  %-9s  %-13s %8s %10s";
    private static final int DIFFERENCES_SHOWN = 20;

    RunReport {
        found = Map.copyOf(found);
        differences = List.copyOf(differences);
    }

    /** The executions of a fate. */
    List<ExecutionView> views(Fate fate) {
        return found.getOrDefault(fate, List.of());
    }

    /** Whether everything is as it should be. */
    boolean good() {
        return differences.isEmpty();
    }

    /** An execution that was taken over, for a user who wants to read its history. */
    Optional<ExecutionView> takenOver() {
        return views(Fate.OUTLIVES_ITS_WORKER).stream().findFirst();
    }

    /** The summary, line by line. */
    List<String> lines(Colours colours) {
        var lines = new ArrayList<String>();
        lines.add(
                colours.strong(
                        ROW.formatted(
                                "fate", "count", "expected", "found", "attempts", "take-overs")));
        for (var fate : Fate.values()) {
            lines.add(row(fate));
        }
        lines.add("");
        if (good()) {
            lines.add(
                    colours.good(
                            "All %d executions became what they should, says the database."
                                    .formatted(Fate.total())));
        } else {
            lines.add(colours.bad("The database does not say what it should:"));
            differences.stream()
                    .limit(DIFFERENCES_SHOWN)
                    .map(line -> "  " + line)
                    .forEach(lines::add);
            if (differences.size() > DIFFERENCES_SHOWN) {
                lines.add("  and %d more.".formatted(differences.size() - DIFFERENCES_SHOWN));
            }
        }
        return lines;
    }

    private String row(Fate fate) {
        var views = views(fate);
        return ROW.formatted(
                fate.words(),
                fate.count(),
                fate.end().wire(),
                ends(views),
                views.stream().mapToInt(ExecutionView::attempts).sum(),
                views.stream().mapToInt(ExecutionView::reclaims).sum());
    }

    private static String ends(List<ExecutionView> views) {
        var counts =
                views.stream()
                        .collect(
                                Collectors.groupingBy(
                                        view -> view.state().publicState(),
                                        TreeMap::new,
                                        Collectors.counting()));
        return counts.isEmpty()
                ? "none"
                : counts.entrySet().stream().map(RunReport::end).collect(Collectors.joining(", "));
    }

    private static String end(Map.Entry<PublicState, Long> entry) {
        return entry.getValue() + " " + entry.getKey().wire();
    }
}
