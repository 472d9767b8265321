package io.flowfabric.mutation;

import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.mutation.TriedChanges.Tried;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;

/** The processes in which changes are tried: some beside each other, each with its own server. */
final class Trials {
    /** Tests wait more than they compute, but what takes ten times as long counts as noticed. */
    private static final int BESIDE_EACH_OTHER = 2;

    /** How many changes one process tries: each leaves its classes behind. */
    private static final int BEFORE_IT_IS_FULL = 60;

    private final Module module;
    private final Path coverage;
    private final Path outcomes;

    Trials(Module module) {
        this.module = module;
        this.coverage = module.scratch().resolve("coverage");
        this.outcomes = module.scratch().resolve("outcomes");
    }

    /** Learns which statements each test runs, unless nothing was compiled since it was learned. */
    void knowCoverage() throws IOException, InterruptedException {
        if (isCoverageKnown()) {
            return;
        }
        Files.deleteIfExists(outcomes);
        try (var server = module.server("coverage", "log_statement", "all")) {
            cover(server);
        }
    }

    private boolean isCoverageKnown() throws IOException {
        if (!Files.exists(coverage)) {
            return false;
        }
        var learned = Files.getLastModifiedTime(coverage);
        try (var main = Files.walk(module.folder().resolve("target/classes"));
                var tests = Files.walk(module.folder().resolve("target/test-classes"))) {
            return Stream.concat(main, tests)
                    .noneMatch(file -> file.toFile().lastModified() > learned.toMillis());
        }
    }

    private void cover(EmbeddedPostgres server) throws IOException, InterruptedException {
        var log = server.dataDirectory().resolveSibling("postgres.log");
        var lines = new ArrayList<String>();
        talk(
                server,
                List.of("cover", module.folder().toString(), log.toString()),
                List.of(),
                answer -> {
                    var words = answer.split("\t", 2);
                    if (words[0].equals("covers")) {
                        lines.add(words[1]);
                    } else {
                        System.err.println("does not pass, and is not asked: " + words[1]);
                    }
                });
        Files.write(coverage, lines);
        Files.delete(log);
        System.err.printf("%d tests pass%n", lines.size());
    }

    /** Tries changes, by their numbers, that were not tried yet. */
    Map<Integer, Tried> tryAll(List<Integer> numbers, List<Mutant> mutants)
            throws IOException, InterruptedException {
        var tried = TriedChanges.in(outcomes);
        var left = new ConcurrentLinkedQueue<>(numbers);
        left.removeIf(tried::contain);
        System.err.printf("%d of %d are left to try%n", left.size(), numbers.size());
        try (var threads = Executors.newFixedThreadPool(BESIDE_EACH_OTHER)) {
            var all =
                    threads.invokeAll(
                            IntStream.range(0, BESIDE_EACH_OTHER)
                                    .<Callable<Boolean>>mapToObj(
                                            n -> () -> tryNext("server-" + n, left, tried, mutants))
                                    .toList());
            for (Future<Boolean> one : all) {
                one.get();
            }
        } catch (ExecutionException e) {
            throw new IllegalStateException("Changes could not be tried.", e.getCause());
        }
        return tried.all(numbers);
    }

    private boolean tryNext(
            String name, Queue<Integer> left, TriedChanges tried, List<Mutant> mutants)
            throws IOException, InterruptedException {
        try (var server = module.server(name, "log_statement", "none")) {
            var some = new LinkedHashSet<Integer>();
            while (fill(some, left)) {
                tryThese(server, name, some, tried, mutants);
            }
        }
        return true;
    }

    private static boolean fill(Set<Integer> some, Queue<Integer> left) {
        while (some.size() < BEFORE_IT_IS_FULL) {
            var next = left.poll();
            if (next == null) {
                break;
            }
            some.add(next);
        }
        return !some.isEmpty();
    }

    /** Lets a process try changes until it ends, and leaves those that it did not come to. */
    private void tryThese(
            EmbeddedPostgres server,
            String name,
            Set<Integer> some,
            TriedChanges tried,
            List<Mutant> mutants)
            throws IOException, InterruptedException {
        int first = some.iterator().next();
        talk(
                server,
                List.of(
                        "try",
                        module.folder().toString(),
                        coverage.toString(),
                        module.scratch().resolve("changed-" + name).toString()),
                List.copyOf(some),
                answer -> {
                    var words = answer.split("\t", -1);
                    if (words[0].equals("tried")) {
                        int number = Integer.parseInt(words[1]);
                        var result =
                                new Tried(
                                        TrialOutcome.valueOf(words[2]),
                                        Integer.parseInt(words[3]),
                                        words[4]);
                        note(number, result, some, tried, mutants);
                    }
                });
        // A process that ends without a word did so because of the one that it was trying; if that
        // was not its first one, another process will tell.
        if (some.contains(first)) {
            note(first, Tried.lost(), some, tried, mutants);
        }
    }

    private static void note(
            int number, Tried result, Set<Integer> some, TriedChanges tried, List<Mutant> mutants) {
        tried.add(number, result);
        some.remove(number);
        System.err.printf("%s  %s %s%n", mutants.get(number), result.outcome(), result.who());
    }

    private void talk(
            EmbeddedPostgres server,
            List<String> words,
            List<Integer> numbers,
            Consumer<String> answers)
            throws IOException, InterruptedException {
        var main = new ArrayList<>(List.of(MutantTrial.class.getName()));
        main.addAll(words);
        var starting = module.java("", main).redirectError(ProcessBuilder.Redirect.DISCARD);
        Module.use(server, starting);
        var process = starting.start();
        try (var in = new PrintWriter(process.outputWriter(StandardCharsets.UTF_8))) {
            numbers.forEach(in::println);
        }
        try (var out =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            out.lines()
                    .filter(line -> line.endsWith(MutantTrial.ANSWER))
                    .map(line -> line.substring(0, line.length() - MutantTrial.ANSWER.length()))
                    .forEach(answers);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
