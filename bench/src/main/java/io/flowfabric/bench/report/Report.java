package io.flowfabric.bench.report;

import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;

/**
 * What came of one benchmark.
 *
 * @param settings what it was measured with
 * @param ratios what is promised, by names that stay the same
 * @param figures everything that was measured
 */
public record Report(
        String bench,
        Map<String, Object> settings,
        Table table,
        Map<String, Double> ratios,
        Map<String, Object> figures) {

    /** For people. */
    public String text() {
        var text = new StringBuilder();
        text.append(bench).append(": ");
        var separator = "";
        for (var setting : settings.entrySet()) {
            text.append(separator).append(setting.getKey()).append(' ').append(setting.getValue());
            separator = ", ";
        }
        text.append("\n\n").append(table).append('\n');
        ratios.forEach(
                (name, ratio) -> text.append(String.format(Locale.ROOT, "%s %.2f%n", name, ratio)));
        return text.toString();
    }

    /** For programs. */
    public String json() {
        var object = new LinkedHashMap<String, Object>();
        object.put("bench", bench);
        object.put("ratios", ratios);
        object.put("settings", settings);
        object.put("figures", figures);
        return JsonText.write(object);
    }
}
