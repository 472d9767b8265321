package io.flowfabric.bench.report;

import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What was measured of several, side by side. */
public record Results(List<Measured> all) {

    /** How many times as fast one was as another. */
    public double ratio(String one, String other) {
        return series(one).over(series(other));
    }

    public Series series(String key) {
        return all.stream()
                .filter(measured -> measured.key().equals(key))
                .findFirst()
                .orElseThrow()
                .series();
    }

    /** The raw figures of each. */
    public Map<String, Object> figures() {
        var figures = new LinkedHashMap<String, Object>();
        all.forEach(measured -> figures.put(measured.key(), measured.series().figures()));
        return figures;
    }
}
