package io.flowfabric.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.stream.IntStream;

/** Tries changes of statements by the tests that run them. */
final class Trials {
    /** With more processes, a test that only waits for the processor would count as endless. */
    private static final int LANES = 2;

    private final Module module;
    private final List<Mutant> mutants;
    private final Path coverage;
    private final Path outcomes;

    Trials(Module module, List<Mutant> mutants) {
        this.module = module;
        this.mutants = mutants;
        this.coverage = module.scratch().resolve("coverage.tsv");
        this.outcomes = module.scratch().resolve("outcomes.tsv");
    }

    /** Learns which statements each test runs, unless nothing was compiled since it was learned. */
    void knowCoverage() throws IOException, InterruptedException {
        if (Files.exists(coverage)
                && !module.changedSince(Files.getLastModifiedTime(coverage).toInstant())) {
            return;
        }
        Files.deleteIfExists(outcomes);
        var lines = new ArrayList<String>();
        try (var server = module.server("server-coverage", "log_statement", "all")) {
            var log = server.dataDirectory().resolveSibling("postgres.log");
            module.talk(
                    server,
                    module.scratch().resolve("coverage.log"),
                    List.of("cover", module.folder().toString(), log.toString()),
                    List.of(),
                    lines::add);
            Files.delete(log);
        }
        if (!lines.removeLast().equals(MutantTrial.OVER)) {
            throw new IllegalStateException(
                    "The run that learns what tests do was broken off: see coverage.log.");
        }
        Files.write(coverage, lines);
        System.err.printf("%d tests pass%n", lines.size());
    }

    /** Tries changes, by their numbers, as far as they were not tried by a run before. */
    Map<Integer, TrialResult> tryAll(List<Integer> numbers)
            throws IOException, InterruptedException {
        var file = OutcomeFile.open(outcomes, mutants);
        var left = new ConcurrentLinkedQueue<>(numbers);
        left.removeIf(file::isTried);
        if (left.size() < numbers.size()) {
            System.err.printf("%d were tried by a run before%n", numbers.size() - left.size());
        }
        int each = Math.ceilDiv(left.size(), LANES);
        int most = Math.clamp(each, 1, TrialLane.BEFORE_IT_IS_FULL);
        var report = new TrialReport(mutants, file, left.size());
        var words = List.of("try", module.folder().toString(), coverage.toString());
        try (var threads = Executors.newFixedThreadPool(LANES)) {
            var lanes =
                    IntStream.range(0, LANES)
                            .mapToObj(
                                    n ->
                                            new TrialLane(
                                                    "server-" + n,
                                                    module,
                                                    words,
                                                    left,
                                                    most,
                                                    report))
                            .map(threads::submit)
                            .toList();
            for (var lane : lanes) {
                lane.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("Changes could not be tried.", e.getCause());
        }
        return file.of(numbers);
    }
}
