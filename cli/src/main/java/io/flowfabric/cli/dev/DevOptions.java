package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.UsageError;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * How {@code dev} runs.
 *
 * @param once whether it ends after the summary, or stays up to be looked at
 * @param home where the Postgres with its data and the logs are kept
 */
public record DevOptions(boolean once, Path home) {
    private static final DevOptions DEFAULT = new DevOptions(false, Path.of(".flowfabric"));
    private static final String HOME = "--home";

    /**
     * Reads the words after {@code dev}.
     *
     * @throws UsageError when one is unknown or lacks its value
     */
    public static DevOptions parse(List<String> words) {
        var options = DEFAULT;
        for (var left = words.iterator(); left.hasNext(); ) {
            var word = left.next();
            if (word.equals("--once")) {
                options = new DevOptions(true, options.home);
            } else if (word.equals(HOME) && left.hasNext()) {
                options = new DevOptions(options.once, path(left.next()));
            } else if (word.equals(HOME)) {
                throw new UsageError("--home needs a folder, as in --home /tmp/flowfabric.");
            } else {
                throw new UsageError(
                        "dev does not know '%s'; it knows --once and --home DIR.".formatted(word));
            }
        }
        return options;
    }

    private static Path path(String text) {
        try {
            if (!text.isBlank()) {
                return Path.of(text);
            }
        } catch (InvalidPathException e) {
            // Said below.
        }
        throw new UsageError("'%s' after --home is not the name of a folder.".formatted(text));
    }
}
