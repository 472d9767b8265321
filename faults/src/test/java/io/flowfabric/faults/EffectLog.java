package io.flowfabric.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/**
 * What handlers did outside of their store, in a file that processes write to and a test reads.
 * What a process has written stays when it is killed.
 */
final class EffectLog {
    private final Path file;

    EffectLog(Path file) {
        this.file = file;
    }

    /**
     * Something that was done.
     *
     * @param work the number of the piece of work that it was done for
     * @param step by which part of it
     * @param epoch under which lease
     * @param said what others are to know of it
     */
    record Effect(int work, String step, long epoch, String said) {
        private static Effect parse(String line) {
            var words = line.split(" ", 4);
            return new Effect(
                    Integer.parseInt(words[0]), words[1], Long.parseLong(words[2]), words[3]);
        }

        /** What the step returns: by it a result tells which of two runs was recorded. */
        String value() {
            return step + "@" + epoch;
        }

        private String line() {
            return "%d %s %d %s%n".formatted(work, step, epoch, said);
        }
    }

    /** Does something outside, once for each call. */
    Effect add(int work, String step, long epoch, String said) {
        var effect = new Effect(work, step, epoch, said);
        try {
            Files.writeString(
                    file, effect.line(), StandardOpenOption.CREATE, StandardOpenOption.APPEND);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return effect;
    }

    /** What was done for a piece of work, in that order. */
    List<Effect> of(int work) {
        try {
            return Files.readAllLines(file).stream()
                    .map(Effect::parse)
                    .filter(effect -> effect.work == work)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
