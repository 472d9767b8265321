package io.flowfabric.cli.dev;

import java.nio.file.Path;

/** A name as it has to be written so that a shell takes it for one word. */
final class ShellWord {
    private ShellWord() {}

    static String of(Path path) {
        var text = path.toString();
        return text.matches("[A-Za-z0-9_./-]+") ? text : "'" + text.replace("'", "'\\''") + "'";
    }
}
