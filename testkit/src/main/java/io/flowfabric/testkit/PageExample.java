package io.flowfabric.testkit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/**
 * The code that a page of documentation shows, and the same code in a source that is compiled,
 * where it stands between the lines {@code // [PAGE} and {@code // PAGE]}. A test compares the two,
 * so that no page shows what does not compile.
 */
public final class PageExample {
    private static final Pattern COMPILED =
            Pattern.compile("// \\[PAGE\n(.*?)\n *// PAGE]", Pattern.DOTALL);
    private static final Pattern SHOWN = Pattern.compile("```java\n(.*?)\n```", Pattern.DOTALL);
    private static final Pattern IMPORT = Pattern.compile("import ([\\w.]+);\n");

    private PageExample() {}

    /** The pieces of code in a source that a page is to show, in their order. */
    public static List<String> compiled(Path source) throws IOException {
        return pieces(COMPILED, source).toList();
    }

    /**
     * The pieces of Java on a page, in their order and without their imports.
     *
     * @throws AssertionError when a page imports a class that there is not
     */
    public static List<String> shown(Path page) throws IOException {
        return pieces(SHOWN, page).map(PageExample::withoutImports).toList();
    }

    private static Stream<String> pieces(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map(piece -> piece.group(1).stripTrailing().stripIndent());
    }

    private static String withoutImports(String code) {
        IMPORT.matcher(code).results().forEach(found -> mustBeThere(found.group(1)));
        return IMPORT.matcher(code).replaceAll("").strip();
    }

    private static void mustBeThere(String name) {
        try {
            Class.forName(name, false, Thread.currentThread().getContextClassLoader());
        } catch (ClassNotFoundException e) {
            throw new AssertionError("a page imports %s, which there is not".formatted(name), e);
        }
    }
}
