package io.flowfabric.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** Whether names and pages lead where a reader expects. */
class NamesTest {
    private static final Path ROOT = Path.of("..");

    /** Names that every module may have; and the start of a program is called so everywhere. */
    private static final Set<String> EVERYWHERE =
            Set.of("package-info.java", "module-info.java", "Main.java");

    private static final Pattern LINK = Pattern.compile("\\]\\(([^)#\\s]+)(?:#[^)]*)?\\)");

    @Test
    void a_simple_name_is_used_once_in_the_main_code() throws Exception {
        var places = new TreeMap<String, Integer>();
        try (var modules = Files.list(ROOT)) {
            for (var module : modules.sorted().toList()) {
                for (var file : files(module.resolve("src/main/java"), ".java")) {
                    var name = file.getFileName().toString();
                    if (!EVERYWHERE.contains(name)) {
                        places.merge(name, 1, Integer::sum);
                    }
                }
            }
        }

        places.values().removeIf(count -> count == 1);
        assertThat(places).isEmpty();
    }

    @Test
    void every_decision_is_in_the_index() throws Exception {
        var decisions = ROOT.resolve("docs/decisions");
        var index = Files.readString(decisions.resolve("README.md"));

        assertThat(files(decisions, ".md"))
                .map(file -> file.getFileName().toString())
                .filteredOn(name -> !name.equals("README.md"))
                .allSatisfy(name -> assertThat(index).contains("](" + name + ")"));
    }

    @Test
    void every_page_is_linked_from_the_readme_and_links_only_to_what_is_there() throws Exception {
        var readme = Files.readString(ROOT.resolve("README.md"));
        for (var page : files(ROOT.resolve("docs"), ".md")) {
            if (Objects.requireNonNull(page.getParent()).endsWith("docs")) {
                assertThat(readme).contains("docs/" + page.getFileName());
            }
        }
        for (var page : pages()) {
            LINK.matcher(Files.readString(page))
                    .results()
                    .map(link -> link.group(1))
                    .filter(link -> !link.contains("://") && !link.startsWith("mailto:"))
                    .forEach(link -> assertThat(page.resolveSibling(link)).exists());
        }
    }

    private static List<Path> pages() throws IOException {
        return Stream.concat(
                        Stream.of("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
                                .map(ROOT::resolve),
                        files(ROOT.resolve("docs"), ".md").stream())
                .toList();
    }

    private static List<Path> files(Path folder, String suffix) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        try (var all = Files.walk(folder)) {
            return all.filter(path -> path.toString().endsWith(suffix)).sorted().toList();
        }
    }
}
