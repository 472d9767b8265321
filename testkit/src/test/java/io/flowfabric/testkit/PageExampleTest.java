package io.flowfabric.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

class PageExampleTest {
    private static final String PAGE = "Look:\n\n```java\n%s```\n\n```sql\nselect 1\n```\n";

    @TempDir private Path folder;

    @Test
    void the_code_on_a_page_is_that_of_a_source_but_for_indentation_and_imports()
            throws IOException {
        var source = write("// [PAGE\n    int a() {\n        return 1;\n    }\n\n    // PAGE]\n");
        var code = "import java.util.List;\n\nint a() {\n    return 1;\n}\n";

        assertThat(PageExample.shown(write(PAGE.formatted(code))))
                .isEqualTo(PageExample.compiled(source))
                .containsExactly("int a() {\n    return 1;\n}");
    }

    @Test
    void a_page_that_imports_what_there_is_not_is_wrong() throws IOException {
        var page = write(PAGE.formatted("import io.flowfabric.Nothing;\n\nint a;\n"));

        assertThatExceptionOfType(AssertionError.class)
                .isThrownBy(() -> PageExample.shown(page))
                .withMessageContaining("io.flowfabric.Nothing");
    }

    private Path write(String text) throws IOException {
        return Files.writeString(Files.createTempFile(folder, "page", ".txt"), text);
    }
}
