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
            // The class with its package, then a point, the method, and what is changed in it.
            var name = change.substring(0, change.indexOf(':'));
            var outer = name.substring(0, name.lastIndexOf('.')).replaceFirst("\\$.*", "");
            var module = outer.split("\\.", -1)[2];
            var source =
                    Path.of(
                            "../%s/src/main/java/%s.java"
                                    .formatted(module, outer.replace('.', '/')));
            var method =
                    name.substring(name.lastIndexOf('.') + 1)
                            .replaceFirst("lambda\\$(.*)\\$.*", "$1");

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
