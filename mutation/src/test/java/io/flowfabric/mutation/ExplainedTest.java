package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;

/** Reasons why a change cannot be noticed. */
class ExplainedTest {
    @Test
    void every_explanation_is_about_a_change_that_is_made() throws IOException {
        var statements = StatementFiles.in(Path.of("../postgres/src/main/resources"));

        assertThat(statements.mutants())
                .extracting(Mutant::name)
                .containsAll(Explained.statements().names());
    }

    @Test
    void every_explanation_of_code_is_about_a_method_that_is_there() throws IOException {
        for (var change : Explained.code().names()) {
            var words = change.split("[.:]", -1);
            var source =
                    Path.of(
                            "../%1$s/src/main/java/io/flowfabric/%1$s/%2$s.java"
                                    .formatted(words[2], words[3].replaceFirst("\\$.*", "")));
            var method = words[4].replaceFirst("lambda\\$(.*)\\$.*", "$1");

            assertThat(source).content().contains(" " + method + "(");
        }
    }

    @Test
    void a_reason_may_take_several_lines() {
        var explained =
                Explained.parse(
                        """
                        # not this
                        one: a change
                            for a
                            reason

                        another: change
                            for none
                        """);

        assertThat(explained.names()).containsExactly("one: a change", "another: change");
    }
}
