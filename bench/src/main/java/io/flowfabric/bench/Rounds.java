package io.flowfabric.bench;

import io.flowfabric.bench.report.Measured;
import io.flowfabric.bench.report.Results;
import io.flowfabric.bench.report.Run;
import io.flowfabric.bench.report.Series;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Measures several trials side by side: each of them once in every round, with another one first in
 * each, so that whatever the machine does to a round it does to all of them.
 */
record Rounds(int executions, int repetitions, Consumer<String> progress) {
    /** Enough for the compiler; the warm-up is not measured. */
    private static final int WARM_UP = 20_000;

    Results run(List<? extends Trial> trials) throws SQLException, InterruptedException {
        var lanes = new ArrayList<Lane>();
        for (var trial : trials) {
            tell("warm-up", trial, trial.run(Math.min(executions, WARM_UP)));
            lanes.add(new Lane(trial, new ArrayList<>()));
        }
        for (int round = 0; round < repetitions; round++) {
            for (var lane : rotated(lanes, round)) {
                var run = lane.trial.run(executions);
                tell("round %d of %d".formatted(round + 1, repetitions), lane.trial, run);
                lane.runs.add(run);
            }
        }
        return new Results(lanes.stream().map(Lane::measured).toList());
    }

    static <T> List<T> rotated(List<T> all, int by) {
        int first = by % all.size();
        var rotated = new ArrayList<T>(all.subList(first, all.size()));
        rotated.addAll(all.subList(0, first));
        return rotated;
    }

    private void tell(String round, Trial trial, Run run) {
        progress.accept("%s: %s, %,.0f/s".formatted(round, trial.name(), run.perSecond()));
    }

    /** A trial and what it has done so far. */
    private record Lane(Trial trial, List<Run> runs) {
        Measured measured() {
            return new Measured(trial.key(), trial.name(), new Series(runs));
        }
    }
}
