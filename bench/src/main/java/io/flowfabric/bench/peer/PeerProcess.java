package io.flowfabric.bench.peer;

import io.flowfabric.bench.contender.Contender;
import io.flowfabric.bench.server.Login;

import java.io.BufferedReader;
import java.io.BufferedWriter;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStreamWriter;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/**
 * A contender in a JVM of its own, so that no peer shares a heap, threads or compiled code with
 * another one, or with what measures it. It ends when this program does: its input ends then.
 */
public final class PeerProcess implements Contender {
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final Peer peer;
    private final Process process;
    private final BufferedReader answers;
    private final BufferedWriter commands;

    private PeerProcess(Peer peer, Process process) {
        this.peer = peer;
        this.process = process;
        this.answers =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        this.commands =
                new BufferedWriter(
                        new OutputStreamWriter(process.getOutputStream(), StandardCharsets.UTF_8));
    }

    /** Starts one with the class path of this program, and waits until it has its tables. */
    public static PeerProcess start(Peer peer, Login login, int workers) throws IOException {
        var java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
        var process =
                new ProcessBuilder(
                                java,
                                "-cp",
                                System.getProperty("java.class.path"),
                                PeerMain.class.getName(),
                                peer.name(),
                                Integer.toString(workers))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var started = new PeerProcess(peer, process);
        try {
            started.ask(String.join("\n", login.url(), login.user(), login.password()));
            return started;
        } catch (RuntimeException e) {
            started.close();
            throw e;
        }
    }

    @Override
    public String key() {
        return peer.key();
    }

    @Override
    public String name() {
        return peer.title();
    }

    @Override
    public void submit(int executions) {
        ask("submit " + executions);
    }

    @Override
    public int ready() {
        return Math.toIntExact(ask("ready"));
    }

    @Override
    public Duration drain() {
        return Duration.ofNanos(ask("drain"));
    }

    @Override
    public void verify() {
        ask("verify");
    }

    @Override
    public void clear() {
        ask("clear");
    }

    private long ask(String command) {
        try {
            commands.write(command);
            commands.newLine();
            commands.flush();
            var answer = answers.readLine();
            if (answer == null || !answer.startsWith("ok ")) {
                throw new IllegalStateException(
                        "The process of %s could not go on: %s.".formatted(name(), answer));
            }
            return Long.parseLong(answer.substring("ok ".length()));
        } catch (IOException e) {
            throw new UncheckedIOException("The process of %s is gone.".formatted(name()), e);
        }
    }

    @Override
    public void close() {
        try {
            commands.close();
            process.waitFor(PATIENCE.toMillis(), TimeUnit.MILLISECONDS);
        } catch (IOException e) {
            // It is gone already.
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            process.destroyForcibly();
        }
    }
}
