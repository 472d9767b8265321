package io.flowfabric.architecture;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;

import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** The pages, which are compiled piece by piece in the modules that they are about. */
class PagesTest {
    @Test
    void whatever_a_page_imports_is_there() throws IOException {
        int imports = 0;
        for (var page : pages()) {
            for (var name : PageExample.imports(page)) {
                imports++;
                assertThatCode(() -> Class.forName(name, false, getClass().getClassLoader()))
                        .as("%s imports %s", page.getFileName(), name)
                        .doesNotThrowAnyException();
            }
        }
        assertThat(imports).isPositive();
    }

    private static List<Path> pages() throws IOException {
        try (var files = Files.list(ArrowsTest.ROOT.resolve("docs"))) {
            return files.filter(file -> file.toString().endsWith(".md")).sorted().toList();
        }
    }
}
