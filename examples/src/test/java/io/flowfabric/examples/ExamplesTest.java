package io.flowfabric.examples;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** Every example runs, says what came true, and is short. */
class ExamplesTest {
    private static final int MOST_LINES = 150;

    static Stream<String> names() {
        return Main.ALL.stream().map(Main.Example::name);
    }

    @ParameterizedTest
    @MethodSource("names")
    @Timeout(60)
    void an_example_tells_a_story_that_comes_true(String name) throws Exception {
        var said = new ByteArrayOutputStream();
        var example = Main.find(name).orElseThrow();
        try (var out = new PrintStream(said, true, StandardCharsets.UTF_8)) {
            example.story().tell(SharedDatabase.FABRIC, SharedDatabase.LOGIN, out);
        }

        var lines = said.toString(StandardCharsets.UTF_8).lines().toList();
        assertThat(lines).hasSizeBetween(7, 25);
        assertThat(lines).filteredOn(line -> line.startsWith("  ok: ")).hasSizeGreaterThan(1);
    }

    @Test
    void an_example_is_one_class_of_less_than_150_lines() throws IOException {
        for (var source : sources()) {
            assertThat(Files.readAllLines(source)).as("%s", source).hasSizeLessThan(MOST_LINES);
        }
    }

    private static List<Path> sources() throws IOException {
        try (var files = Files.list(Path.of("src/main/java/io/flowfabric/examples"))) {
            return files.toList();
        }
    }
}
