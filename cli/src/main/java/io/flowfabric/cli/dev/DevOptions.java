package io.flowfabric.cli.dev;

import io.flowfabric.cli.terminal.UsageError;

import org.jspecify.annotations.Nullable;

import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;

/**
 * How {@code dev} runs.
 *
 * @param once whether it ends after the summary, or stays up to be looked at
 * @param store what the data is kept in
 * @param home where the server with its data and the logs are kept
 */
public record DevOptions(boolean once, DevStore store, Path home) {
    private static final String STORE = "--store";
    private static final String HOME = "--home";

    /**
     * Reads the words after {@code dev}.
     *
     * @throws UsageError when one is unknown or lacks its value
     */
    public static DevOptions parse(List<String> words) {
        boolean once = false;
        var store = DevStore.POSTGRES;
        @Nullable Path home = null;
        for (var left = words.iterator(); left.hasNext(); ) {
            var word = left.next();
            switch (word) {
                case "--once" -> once = true;
                case STORE -> {
                    if (!left.hasNext()) {
                        throw new UsageError(
                                "--store needs the name of one: %s.".formatted(DevStore.words()));
                    }
                    store = DevStore.called(left.next());
                }
                case HOME -> {
                    if (!left.hasNext()) {
                        throw new UsageError(
                                "--home needs a folder, as in --home /tmp/flowfabric.");
                    }
                    home = path(left.next());
                }
                default ->
                        throw new UsageError(
                                ("dev does not know '%s'; it knows --once, --store NAME and --home"
                                                + " DIR.")
                                        .formatted(word));
            }
        }
        return new DevOptions(once, store, Objects.requireNonNullElse(home, store.home()));
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
