package io.flowfabric.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

import java.io.File;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

import javax.tools.ToolProvider;

/** The program of the README compiles as it is written there, and does what is said of it. */
class ReadmeProgramTest {
    private static final Pattern PROGRAM =
            Pattern.compile("```java\n(.*?public final class (\\w+) .*?)\n```", Pattern.DOTALL);

    @Test
    @Timeout(120)
    void the_program_of_the_readme_runs_as_it_is_written(@TempDir Path folder) throws Exception {
        var found = PROGRAM.matcher(Files.readString(Path.of("../README.md")));
        assertThat(found.find()).isTrue();
        var source = folder.resolve(found.group(2) + ".java");
        Files.writeString(source, found.group(1));
        var classPath = System.getProperty("java.class.path");

        int compiled =
                ToolProvider.getSystemJavaCompiler()
                        .run(null, null, null, "-proc:none", "-cp", classPath, source.toString());
        assertThat(compiled).isZero();

        var start =
                List.of(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-Dflowfabric.embedded.binaries="
                                + System.getProperty("flowfabric.embedded.binaries"),
                        "-cp",
                        folder + File.pathSeparator + classPath,
                        found.group(2));
        assertThat(output(start, folder))
                .containsExactly(
                        "To ada@example.org: Hello!",
                        "To ada@example.org: Here are some tips.",
                        "Ada is welcome");
        // A second run finds the work by its key, and nothing is sent again.
        assertThat(output(start, folder)).containsExactly("Ada is welcome");
    }

    private static List<String> output(List<String> command, Path folder) throws Exception {
        var process =
                new ProcessBuilder(command)
                        .directory(folder.toFile())
                        .redirectError(ProcessBuilder.Redirect.DISCARD)
                        .start();
        try (var out = process.getInputStream()) {
            var said = new String(out.readAllBytes(), StandardCharsets.UTF_8).lines().toList();
            assertThat(process.waitFor()).isZero();
            return said;
        } finally {
            process.destroyForcibly();
        }
    }
}
