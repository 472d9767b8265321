package io.flowfabric.embedded;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.List;

/** A second JVM that owns an embedded Postgres until its input ends or somebody kills it. */
final class Child implements AutoCloseable {
    private final Process process;
    private final BufferedReader output;
    private final String url;

    private Child(Process process, BufferedReader output, String url) {
        this.process = process;
        this.output = output;
        this.url = url;
    }

    /** Starts one, and returns when it has committed a row to its table {@code kept}. */
    static Child start(Path home) throws IOException {
        var process =
                new ProcessBuilder(
                                List.of(
                                        Path.of(System.getProperty("java.home"), "bin", "java")
                                                .toString(),
                                        "-XX:TieredStopAtLevel=1",
                                        "-cp",
                                        System.getProperty("java.class.path"),
                                        Child.class.getName(),
                                        home.toString()))
                        .redirectError(ProcessBuilder.Redirect.INHERIT)
                        .start();
        var output =
                new BufferedReader(
                        new InputStreamReader(process.getInputStream(), StandardCharsets.UTF_8));
        var url = output.readLine();
        if (url == null) {
            throw new IOException("The child ended before its Postgres had started.");
        }
        return new Child(process, output, url);
    }

    public static void main(String... arguments) throws IOException, SQLException {
        // Not closed here: either the JVM ends and stops it, or it is killed and cannot.
        @SuppressWarnings("resource")
        var postgres = EmbeddedPostgres.start(Path.of(arguments[0]), FastPostgres.fast());
        try (var connection = FastPostgres.connect(postgres);
                var statement = connection.createStatement()) {
            statement.execute("create table if not exists kept (n integer)");
            statement.execute("insert into kept values (42)");
        }
        System.out.println(postgres.url());
        while (System.in.read() >= 0) {
            // Until the parent closes it.
        }
    }

    String url() {
        return url;
    }

    long pid() {
        return process.pid();
    }

    /** Ends it as a crash would, without any of its own code. */
    void kill() {
        process.destroyForcibly().onExit().join();
    }

    /** Lets it end in its own time, and waits for that. */
    void end() throws IOException {
        process.getOutputStream().close();
        process.onExit().join();
    }

    @Override
    public void close() throws IOException {
        kill();
        output.close();
    }
}
