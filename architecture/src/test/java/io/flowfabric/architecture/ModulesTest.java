package io.flowfabric.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaCodeUnit;
import com.tngtech.archunit.core.domain.JavaField;
import com.tngtech.archunit.core.domain.JavaMember;
import com.tngtech.archunit.core.domain.JavaModifier;
import com.tngtech.archunit.core.importer.ClassFileImporter;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;

import java.io.IOException;
import java.lang.module.ModuleDescriptor;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** What the published modules show, and what they bring along. */
class ModulesTest {
    /** The modules with a descriptor; the others are programs and tests. */
    static final List<String> PUBLISHED =
            List.of(
                    "core",
                    "testkit",
                    "embedded",
                    "postgres",
                    "valkey",
                    "engine",
                    "worker",
                    "flowfabric",
                    "micrometer");

    /** What a program in production has on its class path. */
    private static final List<String> PRODUCTION = List.of("core", "engine", "worker", "postgres");

    private static final long MOST_BYTES = 3_500_000;

    private static final Path ROOT = ArrowsTest.ROOT;

    @ParameterizedTest
    @FieldSource("PUBLISHED")
    void every_package_is_exported_unless_it_is_internal(String module) throws IOException {
        var descriptor = descriptor(module);

        assertThat(descriptor.name()).isEqualTo("io." + artifact(module).replace('-', '.'));
        assertThat(descriptor.exports())
                .allMatch(exports -> !exports.isQualified())
                .extracting(ModuleDescriptor.Exports::source)
                .containsExactlyInAnyOrderElementsOf(
                        classes(module).stream()
                                .filter(type -> !ArrowsTest.isInternal(type))
                                .map(JavaClass::getPackageName)
                                .collect(Collectors.toSet()));
    }

    @ParameterizedTest
    @FieldSource("PUBLISHED")
    void no_signature_of_the_public_api_mentions_an_internal_type(String module) {
        for (var type : classes(module)) {
            if (isVisible(type) && !ArrowsTest.isInternal(type)) {
                var mentioned = new TreeSet<String>();
                Stream.concat(
                                Stream.of(type.getRawSuperclass()).flatMap(one -> one.stream()),
                                type.getRawInterfaces().stream())
                        .forEach(other -> mention(mentioned, other));
                type.getMembers().stream()
                        .filter(ModulesTest::isVisible)
                        .flatMap(ModulesTest::signature)
                        .forEach(other -> mention(mentioned, other));
                assertThat(mentioned).as("internal types that %s shows", type.getName()).isEmpty();
            }
        }
    }

    @Test
    void what_production_needs_stays_under_three_and_a_half_megabytes() throws Exception {
        var jars = new TreeSet<Path>();
        var own = Set.copyOf(PRODUCTION.stream().map(module -> "flowfabric-" + module).toList());
        long bytes = 0;
        for (var module : PRODUCTION) {
            bytes += Files.size(jar(module));
            for (var dependency : Pom.read(ROOT.resolve(module).resolve("pom.xml")).runtime()) {
                if (!own.contains(dependency.artifact())) {
                    jars.addAll(Pom.closure(dependency));
                }
            }
        }
        for (var jar : jars) {
            bytes += Files.size(jar);
        }

        assertThat(jars)
                .as("third parties on the class path of production")
                .extracting(jar -> jar.getFileName().toString().replaceAll("-[0-9].*", ""))
                .containsExactlyInAnyOrder(
                        "HikariCP", "postgresql", "slf4j-api", "jspecify", "cron-utils");
        assertThat(bytes).as("bytes of %s and %s", own, jars).isLessThan(MOST_BYTES);
    }

    /** The facade is what most programs name, and has the name of the product alone. */
    private static String artifact(String module) {
        return module.equals("flowfabric") ? module : "flowfabric-" + module;
    }

    private static ModuleDescriptor descriptor(String module) throws IOException {
        var file = ROOT.resolve(module).resolve("target/classes/module-info.class");
        try (var in = Files.newInputStream(file)) {
            return ModuleDescriptor.read(in);
        }
    }

    private static JavaClasses classes(String module) {
        return new ClassFileImporter().importPath(ROOT.resolve(module).resolve("target/classes"));
    }

    private static Stream<JavaClass> signature(JavaMember member) {
        return switch (member) {
            case JavaField field -> Stream.of(field.getRawType());
            case JavaCodeUnit code ->
                    Stream.of(
                                    Stream.of(code.getRawReturnType()),
                                    code.getRawParameterTypes().stream(),
                                    code.getExceptionTypes().stream()
                                            .map(thrown -> thrown.toErasure()))
                            .flatMap(types -> types);
            default -> Stream.of();
        };
    }

    private static void mention(Set<String> mentioned, JavaClass type) {
        if (ArrowsTest.isInternal(type.getBaseComponentType())) {
            mentioned.add(type.getName());
        }
    }

    private static boolean isVisible(JavaClass type) {
        return type.getModifiers().contains(JavaModifier.PUBLIC)
                && type.getEnclosingClass().map(ModulesTest::isVisible).orElse(true);
    }

    private static boolean isVisible(JavaMember member) {
        return member.getModifiers().contains(JavaModifier.PUBLIC)
                || member.getModifiers().contains(JavaModifier.PROTECTED);
    }

    /** What is published of a module, packed as everything else on a class path is. */
    private static Path jar(String module) throws IOException {
        var packed = Pattern.compile("flowfabric-" + module + "-[0-9][^-]*(-SNAPSHOT)?\\.jar");
        try (var files = Files.list(ROOT.resolve(module).resolve("target"))) {
            return files.filter(file -> packed.matcher(file.getFileName().toString()).matches())
                    .findFirst()
                    .orElseThrow();
        }
    }
}
