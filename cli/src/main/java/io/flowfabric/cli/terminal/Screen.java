package io.flowfabric.cli.terminal;

import java.io.IOException;
import java.io.PrintStream;
import java.util.List;
import java.util.Map;

/** Where a program tells its story: lines that stay, and below them how things stand now. */
public interface Screen {
    /** Prints a line that stays. */
    void say(String line);

    /** Shows how things stand, in place of what was shown before. Short lines: none may wrap. */
    void show(List<String> lines);

    /** Takes away what was shown last. */
    void clear();

    /** In what colours it prints, if any. */
    Colours colours();

    /** The screen that fits what this process prints to. */
    static Screen of(PrintStream out, Map<String, String> environment) {
        boolean terminal = isTerminal() && !environment.getOrDefault("TERM", "dumb").equals("dumb");
        return terminal
                ? new LiveScreen(
                        out, new Colours(environment.getOrDefault("NO_COLOR", "").isEmpty()))
                : new PlainScreen(out);
    }

    /** Asks the shell: what the JDK answers has changed from version to version. */
    private static boolean isTerminal() {
        try {
            return new ProcessBuilder("sh", "-c", "test -t 1").inheritIO().start().waitFor() == 0;
        } catch (IOException e) {
            return false;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
