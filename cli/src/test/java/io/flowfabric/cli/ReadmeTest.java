package io.flowfabric.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;

class ReadmeTest {
    @Test
    void the_code_in_the_readme_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/cli/ReadmeExample.java");

        assertThat(PageExample.shown(Path.of("../README.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    @Test
    void the_code_in_the_readme_runs(@TempDir Path home) throws Exception {
        new ReadmeExample().run(home.resolve("home"));

        assertThat(home.resolve("home/data")).isDirectory();
    }
}
