package io.flowfabric.cli;

import io.flowfabric.cli.dev.Dev;
import io.flowfabric.cli.dev.DevOptions;
import io.flowfabric.cli.terminal.UsageError;

import java.util.List;

/** Starts the program that the first word names. Exit code 2 means that the words were wrong. */
public final class Main {
    private static final int WRONG_WORDS = 2;

    private Main() {}

    public static void main(String[] words) {
        System.exit(run(List.of(words)));
    }

    private static int run(List<String> words) {
        try {
            if (words.isEmpty()) {
                throw new UsageError("Say which program to run: dev.");
            }
            var rest = words.subList(1, words.size());
            return switch (words.getFirst()) {
                case "dev" -> Dev.run(DevOptions.parse(rest));
                default ->
                        throw new UsageError(
                                "There is no program '%s'; there is dev."
                                        .formatted(words.getFirst()));
            };
        } catch (UsageError e) {
            System.err.println(e.getMessage());
            return WRONG_WORDS;
        }
    }
}
