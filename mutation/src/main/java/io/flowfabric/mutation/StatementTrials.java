package io.flowfabric.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;

/**
 * Changes statements of a store, one at a time, and sees which changes its tests do not notice.
 *
 * <p>It begins with a run of all tests, one by one, that learns from the log of the server which
 * statements each of them runs; a change is then tried by those tests alone. Tests that bring a
 * server of their own are not asked, because nobody learns what they run.
 */
final class StatementTrials {
    private StatementTrials() {}

    static boolean run(Module module, Options options) throws IOException, InterruptedException {
        Files.createDirectories(module.scratch());
        var mutants = StatementFiles.in(module.classes()).mutants();
        var trials = new Trials(module, mutants);
        trials.knowCoverage();
        var results = trials.tryAll(chosen(mutants, options));
        return TrialReport.judge(mutants, results, Explained.statements());
    }

    private static List<Integer> chosen(List<Mutant> mutants, Options options) {
        var numbers =
                new ArrayList<>(
                        IntStream.range(0, mutants.size())
                                .filter(n -> mutants.get(n).isAbout(options.only()))
                                .boxed()
                                .toList());
        if (options.sample() < numbers.size()) {
            Collections.shuffle(numbers, new Random(options.seed()));
            numbers.subList(options.sample(), numbers.size()).clear();
            Collections.sort(numbers);
        }
        return numbers;
    }
}
