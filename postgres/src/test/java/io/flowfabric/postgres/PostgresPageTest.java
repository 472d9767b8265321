package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;

import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;

class PostgresPageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/postgres/PostgresExample.java");

        assertThat(PageExample.shown(Path.of("../docs/postgres.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
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
