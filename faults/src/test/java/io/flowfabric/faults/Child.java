package io.flowfabric.faults;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Another JVM, running a program of ours. It is told what to do, line by line, and says what
 * happens, line by line; what it has said is known even after it was killed.
 */
final class Child implements AutoCloseable {
    private static final String PASSWORD = "FAULTS_PASSWORD";

    private final Process process;
    private final Thread reader;
    private final List<String> said = new CopyOnWriteArrayList<>();
    private final boolean remembers;

    private Child(Process process, boolean remembers, Consumer<String> listener) {
        this.process = process;
        this.remembers = remembers;
        this.reader = Thread.ofVirtual().start(() -> listen(listener));
    }

    /**
     * Starts one.
     *
     * @param options of the JVM
     * @param listener hears every line, in order
     */
    static Child start(
            Class<?> program,
            List<String> options,
            List<String> arguments,
            String password,
            Consumer<String> listener) {
        return start(program, options, arguments, password, true, listener);
    }

    /** Starts one that talks for hours: only its listener knows what it has said. */
    static Child startTalkative(
            Class<?> program,
            List<String> options,
            List<String> arguments,
            String password,
            Consumer<String> listener) {
        return start(program, options, arguments, password, false, listener);
    }

    private static Child start(
            Class<?> program,
            List<String> options,
            List<String> arguments,
            String password,
            boolean remembers,
            Consumer<String> listener) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        // Many short lives: the best compiler would never finish.
        command.add("-XX:TieredStopAtLevel=1");
        command.add("-XX:+UseSerialGC");
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), program.getName()));
        command.addAll(arguments);
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put(PASSWORD, password);
        try {
            return new Child(builder.start(), remembers, listener);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** In the child: the password that it was given, which is nobody else's business. */
    static String password() {
        return System.getenv().getOrDefault(PASSWORD, "");
    }

    boolean lives() {
        return process.isAlive();
    }

    long pid() {
        return process.pid();
    }

    /** Everything that it has said so far, if it is remembered. */
    List<String> said() {
        return List.copyOf(said);
    }

    void tell(String line) {
        try {
            process.getOutputStream().write((line + "\n").getBytes(StandardCharsets.UTF_8));
            process.getOutputStream().flush();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Ends it as a crash would, without any of its own code, and hears its last words. */
    void kill() {
        process.destroyForcibly();
        awaitEnd();
    }

    /** Lets it end in its own time, and says with which exit code it did. */
    int end() {
        try {
            process.getOutputStream().close();
        } catch (IOException e) {
            // It is gone already.
        }
        awaitEnd();
        return process.exitValue();
    }

    int awaitEnd() {
        try {
            if (!process.waitFor(60, TimeUnit.SECONDS)) {
                throw new AssertionError("The child %d does not end.".formatted(pid()));
            }
            reader.join();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
        return process.exitValue();
    }

    /** Asks it to end, as an orchestrator does. */
    void terminate() {
        signal("TERM");
    }

    /** Stops it where it is, as a paused machine would. */
    void freeze() {
        signal("STOP");
    }

    /** Lets it go on as if nothing had happened. */
    void thaw() {
        signal("CONT");
    }

    private void signal(String signal) {
        try {
            var kill = new ProcessBuilder("kill", "-" + signal, Long.toString(pid())).start();
            if (kill.waitFor() != 0) {
                throw new AssertionError("No %s for %d.".formatted(signal, pid()));
            }
        } catch (IOException | InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void listen(Consumer<String> listener) {
        try (var lines =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8))) {
            for (var line = lines.readLine(); line != null; line = lines.readLine()) {
                listener.accept(line);
                if (remembers) {
                    said.add(line);
                }
            }
        } catch (IOException e) {
            // The pipe broke, and with it went nothing that was said.
        }
    }

    @Override
    public void close() {
        kill();
    }
}
