package io.flowfabric.cli.terminal;

import java.io.PrintStream;
import java.util.List;

/** A terminal: how things stand is drawn again in place. */
final class LiveScreen implements Screen {
    private final PrintStream out;
    private final Colours colours;
    private List<String> shown = List.of();

    LiveScreen(PrintStream out, Colours colours) {
        this.out = out;
        this.colours = colours;
    }

    @Override
    public synchronized void say(String line) {
        print(line + "\n", shown);
    }

    @Override
    public synchronized void show(List<String> lines) {
        print("", lines);
    }

    @Override
    public synchronized void clear() {
        print("", List.of());
    }

    @Override
    public Colours colours() {
        return colours;
    }

    /** In one write, so that nothing flickers. */
    private void print(String staying, List<String> lines) {
        var text = new StringBuilder();
        if (!shown.isEmpty()) {
            text.append("\033[%dA\033[J".formatted(shown.size()));
        }
        text.append(staying);
        lines.forEach(line -> text.append(line).append('\n'));
        shown = List.copyOf(lines);
        out.print(text);
        out.flush();
    }
}
