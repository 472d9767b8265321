package io.flowfabric.mutation;

import io.flowfabric.embedded.EmbeddedOptions;
import io.flowfabric.embedded.EmbeddedPostgres;

import java.io.File;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

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

    /** Lets the tests of a process use a server. */
    static void use(EmbeddedPostgres server, ProcessBuilder process) {
        process.environment().put(ON_SERVER + "URL", server.url());
        process.environment().put(ON_SERVER + "USER", server.user());
        process.environment().put(ON_SERVER + "PASSWORD", server.password());
    }
}
