package io.flowfabric.mutation;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Map;
import java.util.TreeMap;

/**
 * What came of the changes that were tried, kept in a file while nothing is compiled: all of them
 * take hours, and a run that was stopped goes on.
 */
final class TriedChanges {
    private final Path file;
    private final Map<Integer, Tried> outcomes = new TreeMap<>();

    /**
     * @param asked how many tests were run
     * @param who the test that failed
     */
    record Tried(TrialOutcome outcome, int asked, String who) {
        static Tried lost() {
            return new Tried(TrialOutcome.LOST, 0, "");
        }

        String inWords() {
            return switch (outcome) {
                case NEVER_RUN -> "no test runs it";
                case LOST -> "nothing came of it";
                default -> asked + " tests did not notice";
            };
        }
    }

    private TriedChanges(Path file) {
        this.file = file;
    }

    static TriedChanges in(Path file) throws IOException {
        var changes = new TriedChanges(file);
        if (Files.exists(file)) {
            for (var line : Files.readAllLines(file)) {
                var columns = line.split("\t", -1);
                changes.outcomes.put(
                        Integer.parseInt(columns[0]),
                        new Tried(
                                TrialOutcome.valueOf(columns[1]),
                                Integer.parseInt(columns[2]),
                                columns[3]));
            }
        }
        return changes;
    }

    synchronized boolean contain(int number) {
        return outcomes.containsKey(number);
    }

    synchronized void add(int number, Tried tried) {
        outcomes.put(number, tried);
        var line = "%d\t%s\t%d\t%s%n".formatted(number, tried.outcome, tried.asked, tried.who);
        try {
            Files.writeString(file, line, StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Of the changes that were asked for, by their numbers. */
    synchronized Map<Integer, Tried> all(Iterable<Integer> numbers) {
        var asked = new TreeMap<Integer, Tried>();
        for (int number : numbers) {
            asked.put(number, outcomes.getOrDefault(number, Tried.lost()));
        }
        return asked;
    }
}
