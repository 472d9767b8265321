package io.flowfabric.cli;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

class ReadmeTest {
    @Test
    void the_code_in_the_readme_is_code_that_is_compiled() throws Exception {
        var source =
                Files.readString(Path.of("src/test/java/io/flowfabric/cli/ReadmeExample.java"));
        var shown =
                source.lines()
                        .dropWhile(line -> !line.strip().equals("// [README"))
                        .skip(1)
                        .takeWhile(line -> !line.strip().equals("// README]"))
                        .collect(Collectors.joining("\n"))
                        .stripIndent();

        assertThat(Files.readString(Path.of("../README.md"))).contains(shown);
    }

    @Test
    void the_code_in_the_readme_runs(@TempDir Path home) throws Exception {
        new ReadmeExample().run(home.resolve("home"));

        assertThat(home.resolve("home/data")).isDirectory();
    }
}
