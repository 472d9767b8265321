package io.flowfabric.mutation;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * What came of the changes that were tried, in a file: all of them take hours, and a run that was
 * stopped goes on. It begins with what identifies the changes, which have no more than a number
 * below; a file about others is begun anew.
 */
final class OutcomeFile {
    private final Path file;
    private final Map<Integer, TrialResult> results = new TreeMap<>();

    private OutcomeFile(Path file) {
        this.file = file;
    }

    static OutcomeFile open(Path file, List<Mutant> mutants) throws IOException {
        var outcomes = new OutcomeFile(file);
        var digest = digest(mutants);
        var lines = Files.exists(file) ? Files.readAllLines(file) : List.<String>of();
        if (lines.isEmpty() || !lines.getFirst().equals(digest)) {
            Files.writeString(file, digest + "\n");
            return outcomes;
        }
        for (var line : lines.subList(1, lines.size())) {
            var columns = line.split("\t", -1);
            outcomes.results.put(Integer.parseInt(columns[0]), TrialResult.parse(columns));
        }
        return outcomes;
    }

    synchronized boolean isTried(int number) {
        return results.containsKey(number);
    }

    /** Notes a result. One that was lost is tried again by the next run. */
    synchronized void add(int number, TrialResult result) {
        results.put(number, result);
        if (result.outcome() == TrialOutcome.LOST) {
            return;
        }
        try {
            Files.writeString(file, result.line(number) + "\n", StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The results of some changes, all of which were tried. */
    synchronized Map<Integer, TrialResult> of(List<Integer> numbers) {
        var some = new TreeMap<>(results);
        some.keySet().retainAll(numbers);
        return some;
    }

    private static String digest(List<Mutant> mutants) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            for (var mutant : mutants) {
                digest.update((mutant + " " + mutant.begin() + "\n").getBytes(UTF_8));
            }
            return HexFormat.of().formatHex(digest.digest());
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
