package io.flowfabric.mutation;

import io.flowfabric.mutation.Coverage.Covering;

import org.junit.platform.engine.TestExecutionResult;
import org.junit.platform.launcher.TestExecutionListener;
import org.junit.platform.launcher.TestIdentifier;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;

/**
 * The process in which changed statements are tried, because a changed statement may keep a test
 * running for ever: then this process says so and ends, and another one goes on.
 */
final class MutantTrial {
    /** What ends a line of this process that is an answer; tests may print what they like. */
    static final String ANSWER = "\u0001";

    /** The last answer of a run that learns which statements each test runs. */
    static final String OVER = "over";

    /** The test that lets the server parse every statement. */
    private static final String PARSING = "the_server_understands_every_statement()";

    private static final Pattern NAMED = Pattern.compile("/\\* flowfabric:([A-Za-z0-9_.-]+) \\*/");

    /** How often it is looked whether tests still come to an end, in milliseconds. */
    private static final long LOOK = 100;

    private final PrintStream answers = System.out;
    private final Path module;

    private MutantTrial(Path module) {
        this.module = module;
    }

    public static void main(String[] words) throws Exception {
        var trial = new MutantTrial(Path.of(words[1]));
        switch (words[0]) {
            case "cover" -> trial.cover(Path.of(words[2]));
            case "try" -> trial.tryAll(Coverage.read(Path.of(words[2])), Path.of(words[3]));
            default -> throw new IllegalArgumentException(words[0]);
        }
        leave();
    }

    /** At once: threads of tests may be left, and locks that they wait for. */
    private static void leave() {
        Runtime.getRuntime().halt(0);
    }

    /**
     * Runs all tests, and answers for each that passes which statements the server logged. What
     * does not pass is not asked later.
     */
    private void cover(Path log) throws IOException {
        try (var suite = new Suite(module, List.of())) {
            suite.runAll(
                    new TestExecutionListener() {
                        private long from;
                        private long begun;

                        @Override
                        public void executionStarted(TestIdentifier test) {
                            from = log.toFile().length();
                            begun = System.nanoTime();
                        }

                        @Override
                        public void executionFinished(
                                TestIdentifier test, TestExecutionResult result) {
                            if (!test.isTest()) {
                                return;
                            }
                            if (result.getStatus() != TestExecutionResult.Status.SUCCESSFUL) {
                                System.err.println("does not pass: " + test.getUniqueId());
                                return;
                            }
                            long millis = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begun);
                            var covering =
                                    new Covering(test.getUniqueId(), millis, statements(log, from));
                            answer(covering.line());
                        }
                    });
        }
        answer(OVER);
    }

    private static Set<String> statements(Path log, long from) {
        var names = new TreeSet<String>();
        try (var in = Files.newInputStream(log);
                var lines =
                        new BufferedReader(
                                new InputStreamReader(in, StandardCharsets.ISO_8859_1))) {
            in.skipNBytes(from);
            lines.lines()
                    .forEach(
                            line -> {
                                var found = NAMED.matcher(line);
                                if (found.find()) {
                                    names.add(found.group(1));
                                }
                            });
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return names;
    }

    /** Tries the mutants whose numbers are on standard input, each on a line. */
    private void tryAll(Coverage coverage, Path scratch) throws Exception {
        var files = StatementFiles.in(module.resolve("target/classes"));
        var mutants = files.mutants();
        var parsing =
                coverage.tests().stream()
                        .filter(test -> test.test().contains(PARSING))
                        .findFirst()
                        .orElseThrow();
        var numbers =
                new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))
                        .lines()
                        .map(Integer::parseInt)
                        .toList();
        for (int number : numbers) {
            endConnections();
            System.err.println("trying " + mutants.get(number));
            var mutant = mutants.get(number);
            var covering = coverage.of(files.statements(mutant.block()));
            if (covering.isEmpty()) {
                answer(number, TrialOutcome.NEVER_RUN, 0, "");
                continue;
            }
            try (var suite = new Suite(module, List.of(files.changed(mutant, scratch)))) {
                if (noticed(suite, List.of(parsing)).isPresent()) {
                    answer(number, TrialOutcome.STILLBORN, 0, "");
                } else {
                    ask(suite, number, covering);
                }
            } catch (Endless endless) {
                answer(number, TrialOutcome.ENDLESS, 0, "");
                leave();
            }
        }
    }

    /** Ends what earlier tests left: a statement under way, and the locks that it holds. */
    private static void endConnections() throws SQLException {
        try (var connection =
                        DriverManager.getConnection(
                                variable("URL"), variable("USER"), variable("PASSWORD"));
                var statement = connection.createStatement()) {
            statement.execute(
                    "select pg_terminate_backend(pid) from pg_stat_activity"
                            + " where pid <> pg_backend_pid() and backend_type = 'client backend'");
        }
    }

    private static String variable(String name) {
        return Objects.requireNonNull(System.getenv("FLOWFABRIC_TEST_" + name));
    }

    private void ask(Suite suite, int number, List<Covering> covering) throws Exception {
        int asked = 0;
        for (var some : Portions.of(covering)) {
            asked += some.size();
            var failed = noticed(suite, some);
            if (failed.isPresent()) {
                answer(number, TrialOutcome.NOTICED, asked, failed.get());
                return;
            }
        }
        answer(number, TrialOutcome.SURVIVED, asked, "");
    }

    /**
     * The test that notices a change: it fails twice, because it may do so once by chance, and
     * while the server answers.
     */
    private static Optional<String> noticed(Suite suite, List<Covering> some) throws Exception {
        var left = new ArrayList<>(some);
        while (!left.isEmpty()) {
            var failed = within(suite, left);
            if (failed.isEmpty()) {
                return Optional.empty();
            }
            endConnections();
            var again = left.stream().filter(test -> isOf(test, failed.get())).toList();
            if (again.isEmpty() || within(suite, again).isPresent()) {
                return Optional.of(failed.get().getDisplayName());
            }
            left.removeAll(again);
        }
        return Optional.empty();
    }

    /** Whether a test is what failed, or in the class that could not be set up. */
    private static boolean isOf(Covering test, TestIdentifier failed) {
        return test.test().startsWith(failed.getUniqueId());
    }

    /** Runs tests; one that takes many times as long as it should has noticed something. */
    private static Optional<TestIdentifier> within(Suite suite, List<Covering> some)
            throws Exception {
        var patience = new Patience(some, System.nanoTime());
        var over = new CountDownLatch(1);
        var failed = new ArrayList<TestIdentifier>();
        var runner =
                Thread.ofPlatform()
                        .daemon()
                        .start(
                                () -> {
                                    suite.firstToFail(
                                                    some.stream().map(Covering::test).toList(),
                                                    patience)
                                            .ifPresent(failed::add);
                                    over.countDown();
                                });
        while (!over.await(LOOK, TimeUnit.MILLISECONDS)) {
            if (patience.isOver(System.nanoTime())) {
                throw new Endless();
            }
        }
        runner.join();
        return failed.stream().findFirst();
    }

    /** Tests that do not come to an end. */
    private static final class Endless extends Exception {
        private static final long serialVersionUID = 1;
    }

    private void answer(int number, TrialOutcome outcome, int asked, String who) {
        answer(new TrialResult(outcome, asked, who).line(number));
    }

    private void answer(String line) {
        answers.println(line.replace('\n', ' ') + ANSWER);
        answers.flush();
    }
}
