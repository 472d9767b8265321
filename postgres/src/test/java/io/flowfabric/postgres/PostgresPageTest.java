package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.stream.Collectors;

class PostgresPageTest {
    @ParameterizedTest
    @ValueSource(strings = {"OPEN", "SCHEMA", "AROUND"})
    void the_code_on_the_page_is_code_that_is_compiled(String part) throws IOException {
        var source =
                Files.readString(
                        Path.of("src/test/java/io/flowfabric/postgres/PostgresExample.java"));
        var shown =
                source.lines()
                        .dropWhile(line -> !line.strip().equals("// [" + part))
                        .skip(1)
                        .takeWhile(line -> !line.strip().equals("// " + part + "]"))
                        .collect(Collectors.joining("\n"))
                        .stripTrailing()
                        .stripIndent();

        assertThat(shown).isNotEmpty();
        assertThat(Files.readString(Path.of("../docs/postgres.md"))).contains(shown);
    }

    @Test
    void a_schema_is_printed_made_and_found_to_be_right() {
        var out = new ByteArrayOutputStream();
        var print = new PrintStream(out, true, StandardCharsets.UTF_8);
        var name = TestPostgres.freshSchema();

        PostgresExample.upgrade(TestPostgres.options(), name, print);
        assertThat(out.toString(StandardCharsets.UTF_8))
                .contains("create table " + name + ".execution")
                .endsWith("commit;" + System.lineSeparator());
        out.reset();

        PostgresExample.upgrade(TestPostgres.options(), name, print);
        assertThat(out.toString(StandardCharsets.UTF_8)).isBlank();
    }
}
