package io.flowfabric.bench.report;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.ToDoubleFunction;

/** The repetitions of one measurement, in the order in which they were made. */
public final class Series {
    private final List<Run> runs;

    public Series(List<Run> runs) {
        if (runs.isEmpty()) {
            throw new IllegalArgumentException("There is no median of nothing.");
        }
        this.runs = List.copyOf(runs);
    }

    public double perSecond() {
        return median(values(Run::perSecond));
    }

    public double slowest() {
        return values(Run::perSecond).stream().mapToDouble(rate -> rate).min().orElseThrow();
    }

    public double fastest() {
        return values(Run::perSecond).stream().mapToDouble(rate -> rate).max().orElseThrow();
    }

    public double walBytesEach() {
        return each(Run.WAL_BYTES);
    }

    public double commitsEach() {
        return each(Run.COMMITS);
    }

    /** Whether it was measured how much of something was used. */
    public boolean knows(String what) {
        return runs.getFirst().used().containsKey(what);
    }

    /** How much of something each execution took. */
    public double each(String what) {
        return median(values(run -> run.each(what)));
    }

    /**
     * How many times as fast as another: the median of the ratios of each repetition, because what
     * disturbs one of two neighbours is likely to disturb the other.
     */
    public double over(Series other) {
        var ratios = new ArrayList<Double>(runs.size());
        for (int i = 0; i < runs.size(); i++) {
            ratios.add(runs.get(i).perSecond() / other.runs.get(i).perSecond());
        }
        return median(ratios);
    }

    /** The raw figures. */
    public Map<String, Object> figures() {
        var figures = new LinkedHashMap<String, Object>();
        figures.put("executions", runs.getFirst().executions());
        figures.put("per_second", perSecond());
        figures.put("slowest", slowest());
        figures.put("fastest", fastest());
        runs.getFirst().used().keySet().forEach(what -> figures.put(what + "_each", each(what)));
        figures.put("seconds", values(Run::seconds));
        return figures;
    }

    private List<Double> values(ToDoubleFunction<Run> figure) {
        return runs.stream().mapToDouble(figure).boxed().toList();
    }

    static double median(List<Double> values) {
        var sorted = values.stream().sorted().toList();
        int middle = sorted.size() / 2;
        return sorted.size() % 2 == 1
                ? sorted.get(middle)
                : (sorted.get(middle - 1) + sorted.get(middle)) / 2;
    }
}
