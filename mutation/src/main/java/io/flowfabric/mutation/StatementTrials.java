package io.flowfabric.mutation;

import io.flowfabric.mutation.TriedChanges.Tried;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * Changes statements of a store, one at a time, and sees which changes its tests do not notice.
 *
 * <p>It begins with a run of all tests, one by one, that learns from the log of the server which
 * statements each of them runs; a change is then tried by those tests alone. Tests that bring a
 * server of their own are not asked, because nobody learns what they run.
 */
final class StatementTrials {
    /** Fewer noticed than this, in percent, and the tests are not good enough. */
    private static final int ENOUGH = 95;

    private static final Set<TrialOutcome> UNNOTICED =
            EnumSet.of(TrialOutcome.SURVIVED, TrialOutcome.NEVER_RUN, TrialOutcome.LOST);

    private StatementTrials() {}

    static boolean run(Module module, Options options) throws IOException, InterruptedException {
        Files.createDirectories(module.scratch());
        var mutants = StatementFiles.of(module.folder()).mutants();
        var trials = new Trials(module);
        trials.knowCoverage();
        return report(mutants, trials.tryAll(chosen(mutants, options), mutants));
    }

    private static List<Integer> chosen(List<Mutant> mutants, Options options) {
        var numbers =
                new ArrayList<>(
                        IntStream.range(0, mutants.size())
                                .filter(n -> mutants.get(n).toString().contains(options.only()))
                                .boxed()
                                .toList());
        if (options.sample() < numbers.size()) {
            Collections.shuffle(numbers, new Random(options.seed()));
            numbers.subList(options.sample(), numbers.size()).clear();
            Collections.sort(numbers);
        }
        return numbers;
    }

    private static boolean report(List<Mutant> mutants, Map<Integer, Tried> tried)
            throws IOException {
        var explained = Explained.read();
        var unnoticed = new TreeMap<Integer, Tried>();
        int explicable = 0;
        int counted = 0;
        for (var one : tried.entrySet()) {
            var outcome = one.getValue().outcome();
            if (outcome != TrialOutcome.STILLBORN) {
                counted++;
            }
            if (UNNOTICED.contains(outcome)) {
                if (explained.why(mutants.get(one.getKey())).isPresent()) {
                    explicable++;
                } else {
                    unnoticed.put(one.getKey(), one.getValue());
                }
            }
        }
        System.out.println();
        unnoticed.forEach(
                (number, result) ->
                        System.out.printf("%s  (%s)%n", mutants.get(number), result.inWords()));
        int noticed = counted - explicable - unnoticed.size();
        System.out.printf(
                "%d changes, %d noticed, %d not noticed and explained, %d not%n",
                counted, noticed, explicable, unnoticed.size());
        return noticed * 100L >= (long) ENOUGH * counted;
    }
}
