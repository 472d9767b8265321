package io.flowfabric.mutation;

import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** Tells what comes of changes, one by one, and in the end which of them nobody noticed. */
final class TrialReport {
    /** Fewer noticed than this, in percent, and the tests are not good enough. */
    private static final int ENOUGH = 95;

    private static final Set<TrialOutcome> UNNOTICED =
            EnumSet.of(TrialOutcome.SURVIVED, TrialOutcome.NEVER_RUN, TrialOutcome.LOST);

    private final List<Mutant> mutants;
    private final OutcomeFile outcomes;
    private final int all;
    private int done;

    /**
     * @param all how many are tried in all
     */
    TrialReport(List<Mutant> mutants, OutcomeFile outcomes, int all) {
        this.mutants = mutants;
        this.outcomes = outcomes;
        this.all = all;
    }

    synchronized void note(int number, TrialResult result) {
        outcomes.add(number, result);
        done++;
        System.err.printf(
                "%d of %d  %s  %s %s%n",
                done, all, mutants.get(number), result.outcome(), result.who());
    }

    /** Lists what nobody noticed, and says whether that is little enough. */
    static boolean judge(List<Mutant> mutants, Map<Integer, TrialResult> results, Explained why) {
        var unnoticed = new TreeMap<Integer, TrialResult>();
        int explained = 0;
        int counted = 0;
        for (var one : results.entrySet()) {
            var outcome = one.getValue().outcome();
            if (outcome != TrialOutcome.STILLBORN) {
                counted++;
            }
            if (UNNOTICED.contains(outcome)) {
                if (why.of(mutants.get(one.getKey()).name()).isPresent()) {
                    explained++;
                } else {
                    unnoticed.put(one.getKey(), one.getValue());
                }
            }
        }
        System.out.println();
        unnoticed.forEach(
                (number, result) ->
                        System.out.printf("%s  (%s)%n", mutants.get(number), result.inWords()));
        int noticed = counted - explained - unnoticed.size();
        System.out.printf(
                "%d changes, %d noticed, %d not noticed and explained, %d not%n",
                counted, noticed, explained, unnoticed.size());
        return noticed * 100L >= (long) ENOUGH * counted;
    }
}
