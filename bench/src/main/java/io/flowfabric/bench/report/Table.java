package io.flowfabric.bench.report;

import java.util.ArrayList;
import java.util.List;

/** Rows under headings: the first column reads from the left, numbers stand at the right. */
public final class Table {
    private final List<List<String>> rows = new ArrayList<>();

    public Table(String... headings) {
        rows.add(List.of(headings));
    }

    public void row(String... cells) {
        if (cells.length != rows.getFirst().size()) {
            throw new IllegalArgumentException("A row has as many cells as there are headings.");
        }
        rows.add(List.of(cells));
    }

    @Override
    public String toString() {
        var text = new StringBuilder();
        var widths = widths();
        for (var row : rows) {
            var line = new StringBuilder();
            for (int i = 0; i < row.size(); i++) {
                var padding = " ".repeat(widths[i] - row.get(i).length());
                line.append(i == 0 ? row.get(i) + padding : "  " + padding + row.get(i));
            }
            text.append(line.toString().stripTrailing()).append('\n');
        }
        return text.toString();
    }

    private int[] widths() {
        var widths = new int[rows.getFirst().size()];
        for (var row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        return widths;
    }
}
