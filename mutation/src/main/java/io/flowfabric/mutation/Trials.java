package io.flowfabric.mutation;

import io.flowfabric.embedded.EmbeddedPostgres;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import java.util.stream.Stream;

/** The processes in which changes are tried, one after the other. */
final class Trials {
    /** How many changes one process tries: each leaves its classes behind. */
    private static final int BEFORE_IT_IS_FULL = 60;

    private final Module module;
    private final Path coverage;

    /**
     * @param asked how many tests were run
     * @param who the test that failed
     */
    record Tried(Outcome outcome, int asked, String who) {
        String inWords() {
            return outcome == Outcome.NEVER_RUN
                    ? "no test runs it"
                    : asked + " tests did not notice";
        }
    }

    Trials(Module module) {
        this.module = module;
        this.coverage = module.scratch().resolve("coverage");
    }

    /** Whether nothing was compiled since that was learned. */
    boolean knowCoverage() throws IOException {
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

    /** Learns which statements each test runs. */
    void cover(EmbeddedPostgres server) throws IOException, InterruptedException {
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

    /** Tries changes, by their numbers. */
    Map<Integer, Tried> tryAll(EmbeddedPostgres server, List<Integer> numbers, List<Mutant> mutants)
            throws IOException, InterruptedException {
        var tried = new TreeMap<Integer, Tried>();
        var left = new ArrayList<>(numbers);
        while (!left.isEmpty()) {
            int before = left.size();
            var some = List.copyOf(left.subList(0, Math.min(left.size(), BEFORE_IT_IS_FULL)));
            talk(
                    server,
                    List.of(
                            "try",
                            module.folder().toString(),
                            coverage.toString(),
                            module.scratch().resolve("changed").toString()),
                    some,
                    answer -> {
                        var words = answer.split("\t", -1);
                        if (words[0].equals("tried")) {
                            int number = Integer.parseInt(words[1]);
                            var result =
                                    new Tried(
                                            Outcome.valueOf(words[2]),
                                            Integer.parseInt(words[3]),
                                            words[4]);
                            tried.put(number, result);
                            left.remove((Object) number);
                            System.err.printf(
                                    "%d of %d  %s  %s %s%n",
                                    tried.size(),
                                    numbers.size(),
                                    mutants.get(number),
                                    result.outcome,
                                    result.who);
                        }
                    });
            if (left.size() == before) {
                throw new IllegalStateException(
                        "The process that tries changes ended before it had tried one.");
            }
        }
        return tried;
    }

    private void talk(
            EmbeddedPostgres server,
            List<String> words,
            List<Integer> numbers,
            Consumer<String> answers)
            throws IOException, InterruptedException {
        var main = new ArrayList<>(List.of(Trial.class.getName()));
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
                    .filter(line -> line.endsWith(Trial.ANSWER))
                    .map(line -> line.substring(0, line.length() - Trial.ANSWER.length()))
                    .forEach(answers);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }
}
