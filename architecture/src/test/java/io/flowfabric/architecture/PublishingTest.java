package io.flowfabric.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.w3c.dom.Element;
import org.w3c.dom.Node;

import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/** What a repository of artifacts asks of everything that is published. */
class PublishingTest {
    private static final String HOME = "https://github.com/flowfabric/flowfabric-java";

    private static final String PARENT = "flowfabric-parent";

    /** What the parent pom says for all modules, and the bill of materials for itself. */
    private static final List<String> SAID_TWICE =
            List.of(
                    "version",
                    "url",
                    "inceptionYear",
                    "licenses",
                    "developers",
                    "scm",
                    "properties/project.build.outputTimestamp");

    @Test
    void the_parent_pom_says_where_from_by_whom_and_under_which_licence() throws Exception {
        var parent = pom(".");

        assertThat(text(parent, "url")).contains(HOME);
        assertThat(text(parent, "scm/url")).contains(HOME);
        assertThat(text(parent, "scm/connection")).contains("scm:git:" + HOME + ".git");
        assertThat(text(parent, "scm/developerConnection")).contains("scm:git:" + HOME + ".git");
        assertThat(text(parent, "licenses/license/name")).contains("Apache-2.0");
        assertThat(text(parent, "licenses/license/url"))
                .contains("https://www.apache.org/licenses/LICENSE-2.0");
        assertThat(text(parent, "developers/developer/name")).isPresent();
        assertThat(Files.readString(ArrowsTest.ROOT.resolve("LICENSE"))).contains("Apache License");
    }

    /** Maven otherwise puts the name of a module behind every address that the module inherits. */
    @Test
    void modules_inherit_the_addresses_as_they_are() throws Exception {
        var parent = pom(".");
        var scm = child(parent, "scm").orElseThrow();

        assertThat(parent.getAttribute("child.project.url.inherit.append.path")).isEqualTo("false");
        for (var address : List.of("connection", "developerConnection", "url")) {
            assertThat(scm.getAttribute("child.scm." + address + ".inherit.append.path"))
                    .isEqualTo("false");
        }
    }

    @ParameterizedTest
    @MethodSource("published")
    void a_published_module_says_what_it_is(String module) throws Exception {
        var pom = pom(module);

        assertThat(text(pom, "artifactId"))
                .hasValueSatisfying(it -> assertThat(it).startsWith("flowfabric"));
        assertThat(text(pom, "name"))
                .hasValueSatisfying(name -> assertThat(name).startsWith("FlowFabric"));
        assertThat(text(pom, "description"))
                .hasValueSatisfying(text -> assertThat(text).hasSizeGreaterThan(20).endsWith("."));
    }

    /** A licence or an address of its own would replace those of the parent. */
    @ParameterizedTest
    @MethodSource("published")
    void a_published_module_takes_everything_else_from_the_parent_pom(String module)
            throws Exception {
        var pom = pom(module);

        if (!module.equals("bom")) {
            assertThat(text(pom, "parent/artifactId")).contains(PARENT);
            assertThat(text(pom, "parent/version")).isEqualTo(text(pom("."), "version"));
            for (var what : List.of("groupId", "version", "url", "licenses", "developers", "scm")) {
                assertThat(child(pom, what)).as(what).isEmpty();
            }
        }
    }

    /** It has no parent, whose versions would come along with it. */
    @Test
    void the_bill_of_materials_repeats_what_the_parent_pom_says() throws Exception {
        var bom = pom("bom");
        var parent = pom(".");

        assertThat(child(bom, "parent")).isEmpty();
        for (var what : SAID_TWICE) {
            assertThat(text(bom, what)).as(what).isPresent().isEqualTo(text(parent, what));
        }
    }

    @Test
    void the_bill_of_materials_names_what_is_published_and_nothing_else() throws Exception {
        var expected = new ArrayList<String>();
        for (var module : published().toList()) {
            if (!module.equals("bom")) {
                expected.add(text(pom(module), "artifactId").orElseThrow());
            }
        }

        assertThat(Pom.read(ArrowsTest.ROOT.resolve("bom/pom.xml")).dependencies())
                .extracting(Pom.Dependency::artifact)
                .containsExactlyInAnyOrderElementsOf(expected);
    }

    @ParameterizedTest
    @MethodSource("published")
    void a_published_module_has_a_module_name(String module) throws Exception {
        if (!module.equals("bom")) {
            var sources = ArrowsTest.ROOT.resolve(module).resolve("src/main/java");
            var name =
                    text(
                            pom(module),
                            "build/plugins/plugin/configuration/archive/manifestEntries/Automatic-Module-Name");

            assertThat(Files.exists(sources.resolve("module-info.java")) || name.isPresent())
                    .as("a module-info.java, or an Automatic-Module-Name")
                    .isTrue();
            name.ifPresent(it -> assertThat(it).startsWith("io.flowfabric"));
        }
    }

    @Test
    void what_is_not_installed_is_not_deployed() throws Exception {
        for (var module : modules()) {
            var properties = child(pom(module), "properties");
            assertThat(properties.flatMap(it -> text(it, "maven.deploy.skip")))
                    .as("maven.deploy.skip of %s", module)
                    .isEqualTo(properties.flatMap(it -> text(it, "maven.install.skip")));
        }
    }

    /** Two builds differ when a jar says when it was made. */
    @Test
    void the_time_in_every_archive_is_a_fixed_one() throws Exception {
        assertThat(text(pom("."), "properties/project.build.outputTimestamp"))
                .hasValueSatisfying(time -> assertThat(Instant.parse(time)).isNotNull());
        for (var module : published().toList()) {
            if (!module.equals("bom")) {
                assertThat(text(pom(module), "properties/project.build.outputTimestamp"))
                        .as("outputTimestamp of %s", module)
                        .isEmpty();
            }
        }
    }

    /** Where artifacts come from and go to is for those who build to say. */
    @Test
    void no_pom_names_a_repository() throws Exception {
        for (var module : Stream.concat(Stream.of("."), modules().stream()).toList()) {
            for (var what :
                    List.of("repositories", "pluginRepositories", "distributionManagement")) {
                assertThat(pom(module).getElementsByTagName(what).getLength())
                        .as("%s of %s", what, module)
                        .isZero();
            }
        }
    }

    static Stream<String> published() throws Exception {
        var published = new ArrayList<String>();
        for (var module : modules()) {
            if (text(pom(module), "properties/maven.install.skip").isEmpty()) {
                published.add(module);
            }
        }
        assertThat(published).contains("bom", "core");
        return published.stream();
    }

    private static List<String> modules() throws Exception {
        return children(child(pom("."), "modules").orElseThrow())
                .map(module -> module.getTextContent().strip())
                .toList();
    }

    private static Element pom(String module) throws Exception {
        Path file = ArrowsTest.ROOT.resolve(module).resolve("pom.xml");
        return DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(file.toFile())
                .getDocumentElement();
    }

    /** The text at the end of a path of element names; the first one that has it. */
    private static Optional<String> text(Element from, String path) {
        int slash = path.indexOf('/');
        if (slash < 0) {
            return child(from, path).map(it -> it.getTextContent().strip());
        }
        return children(from)
                .filter(it -> it.getNodeName().equals(path.substring(0, slash)))
                .flatMap(it -> text(it, path.substring(slash + 1)).stream())
                .findFirst();
    }

    private static Optional<Element> child(Element from, String name) {
        return children(from).filter(it -> it.getNodeName().equals(name)).findFirst();
    }

    private static Stream<Element> children(Element from) {
        var nodes = from.getChildNodes();
        return IntStream.range(0, nodes.getLength())
                .<Node>mapToObj(nodes::item)
                .filter(Element.class::isInstance)
                .map(Element.class::cast);
    }
}
