package io.flowfabric.architecture;

import org.w3c.dom.Element;
import org.xml.sax.SAXException;

import java.io.File;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.parsers.ParserConfigurationException;

/**
 * The dependencies that a pom declares outside of its profiles.
 *
 * @param dependencies also those that it only manages
 */
record Pom(List<Dependency> dependencies) {
    /**
     * One dependency.
     *
     * @param scope {@code compile} when none is said
     * @param exclusions artifacts that do not come along with it
     */
    record Dependency(String artifact, String scope, boolean optional, Set<String> exclusions) {}

    static Pom read(Path file) throws IOException {
        try {
            var document =
                    DocumentBuilderFactory.newInstance().newDocumentBuilder().parse(file.toFile());
            var nodes = document.getElementsByTagName("dependency");
            var dependencies = new ArrayList<Dependency>();
            for (int i = 0; i < nodes.getLength(); i++) {
                var node = (Element) nodes.item(i);
                if (path(node).noneMatch(name -> name.equals("profile") || name.equals("plugin"))) {
                    dependencies.add(dependency(node));
                }
            }
            return new Pom(List.copyOf(dependencies));
        } catch (ParserConfigurationException | SAXException e) {
            throw new IOException(e);
        }
    }

    /** What comes along at run time. */
    List<Dependency> runtime() {
        return dependencies.stream()
                .filter(one -> Set.of("compile", "runtime").contains(one.scope) && !one.optional)
                .toList();
    }

    /** The jars of a dependency and of what comes along with it, as they are on this class path. */
    static Set<Path> closure(Dependency dependency) throws IOException {
        var jars = new HashSet<Path>();
        collect(dependency, dependency.exclusions, jars);
        return jars;
    }

    private static void collect(Dependency dependency, Set<String> excluded, Set<Path> jars)
            throws IOException {
        for (var jar : onClassPath(dependency.artifact)) {
            var pom = Path.of(jar.toString().replaceAll("\\.jar$", ".pom"));
            if (jars.add(jar) && Files.exists(pom)) {
                for (var next : read(pom).runtime()) {
                    if (!excluded.contains(next.artifact)) {
                        collect(next, excluded, jars);
                    }
                }
            }
        }
    }

    private static List<Path> onClassPath(String artifact) {
        return Stream.of(System.getProperty("java.class.path").split(File.pathSeparator))
                .map(Path::of)
                .filter(jar -> jar.getFileName().toString().matches(artifact + "-[0-9][^/]*\\.jar"))
                .toList();
    }

    private static Dependency dependency(Element node) {
        var exclusions = new HashSet<String>();
        var excluded = node.getElementsByTagName("exclusion");
        for (int i = 0; i < excluded.getLength(); i++) {
            exclusions.add(text((Element) excluded.item(i), "artifactId", ""));
        }
        return new Dependency(
                text(node, "artifactId", ""),
                text(node, "scope", "compile"),
                Boolean.parseBoolean(text(node, "optional", "false")),
                exclusions);
    }

    /** The names of the elements around an element. */
    private static Stream<String> path(Element node) {
        return Stream.iterate(
                        node.getParentNode(), up -> up instanceof Element, up -> up.getParentNode())
                .map(up -> up.getNodeName());
    }

    private static String text(Element node, String name, String otherwise) {
        var found = node.getElementsByTagName(name);
        for (int i = 0; i < found.getLength(); i++) {
            if (node.isSameNode(found.item(i).getParentNode())) {
                return found.item(i).getTextContent().strip();
            }
        }
        return otherwise;
    }
}
