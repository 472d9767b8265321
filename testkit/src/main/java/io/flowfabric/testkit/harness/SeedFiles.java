package io.flowfabric.testkit.harness;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;

/**
 * Cases that failed once, each in a small text file, to be tried first in every run.
 *
 * <p>The kept places mean what the generator makes of them. A change of the generator keeps the
 * files for what they are still worth, or deletes them.
 */
record SeedFiles(Path directory) {
    private static final Path COMMITTED = Path.of("src", "test", "seeds");
    private static final Path FORGOTTEN_BY_CLEAN = Path.of("target", "seeds");
    private static final String SUFFIX = ".seed";

    /**
     * Stands for all places: for a seed that is worth more than the one case that was found with
     * it.
     */
    private static final String EVERYTHING = "everything";

    /** Where the module under test keeps them: with its sources, if it has a place for them. */
    static SeedFiles ofThisModule() {
        return new SeedFiles(Files.isDirectory(COMMITTED) ? COMMITTED : FORGOTTEN_BY_CLEAN);
    }

    /** All cases that are kept, in the order of their names. */
    List<Case> read() {
        if (!Files.isDirectory(directory)) {
            return List.of();
        }
        try (Stream<Path> files = Files.list(directory)) {
            return files.filter(file -> file.toString().endsWith(SUFFIX))
                    .sorted()
                    .map(SeedFiles::parse)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Keeps a case, with what it showed as a comment. */
    Path write(Case kept, HarnessTrial.Failed failed) {
        var text = new StringBuilder();
        text.append("# ").append(failed.difference().title()).append('\n');
        failed.lines().forEach(line -> comment(text, line));
        failed.difference().details().forEach(line -> comment(text, "! " + line));
        text.append("seed ").append(kept.seed()).append('\n');
        text.append("operations ").append(kept.operations()).append('\n');
        text.append("kept");
        kept.kept().forEach(place -> text.append(' ').append(place));
        text.append('\n');
        try {
            Files.createDirectories(directory);
            return Files.writeString(
                    directory.resolve(kept.seed() + "-" + kept.operations() + SUFFIX), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static void comment(StringBuilder text, String lines) {
        lines.lines().forEach(line -> text.append("#   ").append(line).append('\n'));
    }

    private static Case parse(Path file) {
        try {
            var lines = Files.readAllLines(file);
            long seed = Long.parseLong(field(lines, "seed"));
            int operations = Integer.parseInt(field(lines, "operations"));
            var kept = field(lines, "kept");
            if (kept.equals(EVERYTHING)) {
                return Case.whole(seed, operations);
            }
            return new Case(
                    seed,
                    operations,
                    Arrays.stream(kept.split(" ", -1))
                            .filter(place -> !place.isEmpty())
                            .map(Case.Place::parse)
                            .toList());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        } catch (IllegalArgumentException malformed) {
            throw new IllegalArgumentException(
                    file + " is not a kept case; delete it or mend it", malformed);
        }
    }

    private static String field(List<String> lines, String name) {
        return lines.stream()
                .filter(line -> line.equals(name) || line.startsWith(name + " "))
                .map(line -> line.substring(name.length()).strip())
                .findFirst()
                .orElseThrow(
                        () ->
                                new IllegalArgumentException(
                                        "no line begins with '%s'".formatted(name)));
    }
}
