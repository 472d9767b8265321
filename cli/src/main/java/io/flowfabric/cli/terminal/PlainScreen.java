package io.flowfabric.cli.terminal;

import java.io.PrintStream;
import java.time.Duration;
import java.util.List;

/** A file or a pipe: how things stand is a line now and then. */
final class PlainScreen implements Screen {
    private static final Duration NOW_AND_THEN = Duration.ofSeconds(2);

    private final PrintStream out;
    private long lastShown = System.nanoTime();

    PlainScreen(PrintStream out) {
        this.out = out;
    }

    @Override
    public synchronized void say(String line) {
        out.println(line);
        out.flush();
    }

    @Override
    public synchronized void show(List<String> lines) {
        if (System.nanoTime() - lastShown >= NOW_AND_THEN.toNanos() && !lines.isEmpty()) {
            lastShown = System.nanoTime();
            say(lines.getFirst());
        }
    }

    @Override
    public void clear() {
        // What is printed stays.
    }

    @Override
    public Colours colours() {
        return Colours.NONE;
    }
}
