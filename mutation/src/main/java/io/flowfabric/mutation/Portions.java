package io.flowfabric.mutation;

import io.flowfabric.mutation.Coverage.Covering;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;

/**
 * In which order tests are asked about a change: a few quick ones first, because they notice most
 * changes; then all that are quick; then slow ones, one by one, as far as time allows. Those look
 * at load and at plans, and would cost minutes for each change that nobody notices.
 */
final class Portions {
    private static final List<Integer> QUICK_ONES = List.of(6, 40, Integer.MAX_VALUE);

    /** What a quick test takes at most, in milliseconds. */
    private static final long QUICK = 2_000;

    /** How long slow tests take together that are asked about one change. */
    private static final long MOST = 100_000;

    /** The slow test that does a little of everything is asked before other slow ones. */
    private static final String OF_EVERYTHING = "the_store_on_postgres_does_what_the_model_does()";

    private Portions() {}

    /**
     * The tests to ask, one portion after the other.
     *
     * @param covering the tests that could notice, the fastest first
     */
    static List<List<Covering>> of(List<Covering> covering) {
        var portions = new ArrayList<List<Covering>>();
        var quick = covering.stream().filter(test -> test.millis() <= QUICK).toList();
        int from = 0;
        for (int size : QUICK_ONES) {
            int to = (int) Math.min(quick.size(), (long) from + size);
            if (to > from) {
                portions.add(quick.subList(from, to));
            }
            from = to;
        }
        var slow =
                covering.stream()
                        .filter(test -> test.millis() > QUICK)
                        .sorted(Comparator.comparing(test -> !test.test().contains(OF_EVERYTHING)))
                        .toList();
        long spent = 0;
        for (var test : slow) {
            if (spent > 0 && spent + test.millis() > MOST) {
                break;
            }
            spent += test.millis();
            portions.add(List.of(test));
        }
        return List.copyOf(portions);
    }
}
