package io.flowfabric.mutation;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.io.BufferedReader;
import java.io.File;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * A module whose tests are tested.
 *
 * @param folder where it lies
 * @param classPath what its tests need beside the module itself
 */
record Module(Path folder, String classPath) {
    private static final String ON_SERVER = "FLOWFABRIC_TEST_";

    String name() {
        return folder.getFileName().toString();
    }

    Path classes() {
        return folder.resolve("target/classes");
    }

    Path scratch() {
        return folder.resolve("target/mutants");
    }

    /** A server for all processes that run its tests; each starting one of its own takes longer. */
    EmbeddedPostgres server(String name, String... settings) {
        var options =
                EmbeddedOptions.DEFAULT
                        .withoutDurability()
                        .withBinaries(folder.resolve("target/embedded-binaries"))
                        .withSetting("max_connections", "200")
                        .withSetting("deadlock_timeout", "20ms");
        for (int i = 0; i < settings.length; i += 2) {
            options = options.withSetting(settings[i], settings[i + 1]);
        }
        return EmbeddedPostgres.start(scratch().resolve(name), options);
    }

    /** A process of this program's own JDK, in the folder of the module, that has not begun. */
    ProcessBuilder java(String moreOnClassPath, List<String> words) {
        var command = new ArrayList<String>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        command.add("-ea");
        command.add("-cp");
        command.add(
                String.join(
                        File.pathSeparator,
                        System.getProperty("java.class.path"),
                        moreOnClassPath,
                        classPath));
        command.addAll(words);
        return new ProcessBuilder(command).directory(folder.toFile());
    }

    /** Whether anything that its tests load was compiled after a moment. */
    boolean changedSince(Instant moment) throws IOException {
        var places = new ArrayList<Path>();
        places.add(classes());
        places.add(folder.resolve("target/test-classes"));
        for (var entry : classPath.split(File.pathSeparator, -1)) {
            places.add(Path.of(entry));
        }
        for (var place : places) {
            try (var files = Files.walk(place)) {
                if (files.anyMatch(file -> file.toFile().lastModified() > moment.toEpochMilli())) {
                    return true;
                }
            }
        }
        return false;
    }

    /**
     * Runs {@link MutantTrial} until it ends.
     *
     * @param log what it says besides its answers
     * @param numbers what it reads, each on a line
     * @param answers hears its answers
     */
    void talk(
            EmbeddedPostgres server,
            Path log,
            List<String> words,
            List<Integer> numbers,
            Consumer<String> answers)
            throws IOException, InterruptedException {
        var main = new ArrayList<>(List.of(MutantTrial.class.getName()));
        main.addAll(words);
        var starting = java("", main).redirectError(log.toFile());
        use(server, starting);
        var process = starting.start();
        try (var in = new PrintWriter(process.outputWriter(UTF_8))) {
            numbers.forEach(in::println);
        }
        try (var out = new BufferedReader(new InputStreamReader(process.getInputStream(), UTF_8))) {
            out.lines()
                    .filter(line -> line.endsWith(MutantTrial.ANSWER))
                    .map(line -> line.substring(0, line.length() - MutantTrial.ANSWER.length()))
                    .forEach(answers);
        } finally {
            process.destroyForcibly().waitFor();
        }
    }

    /** Lets the tests of a process use a server. */
    static void use(EmbeddedPostgres server, ProcessBuilder process) {
        process.environment().put(ON_SERVER + "URL", server.url());
        process.environment().put(ON_SERVER + "USER", server.user());
        process.environment().put(ON_SERVER + "PASSWORD", server.password());
    }
}
