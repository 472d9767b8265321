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

    /** The pieces of Java on a page, in their order and without their imports. */
    public static List<String> shown(Path page) throws IOException {
        return pieces(SHOWN, page)
                .map(code -> IMPORT.matcher(code).replaceAll("").strip())
                .toList();
    }

    /** The classes that the Java on a page imports. */
    public static List<String> imports(Path page) throws IOException {
        return pieces(SHOWN, page)
                .flatMap(code -> IMPORT.matcher(code).results())
                .map(found -> found.group(1))
                .toList();
    }

    private static Stream<String> pieces(Pattern pattern, Path file) throws IOException {
        return pattern.matcher(Files.readString(file))
                .results()
                .map(piece -> piece.group(1).stripTrailing().stripIndent());
    }
}
