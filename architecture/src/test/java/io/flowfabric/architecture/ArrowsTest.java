package io.flowfabric.architecture;

import static com.tngtech.archunit.base.DescribedPredicate.describe;
import static com.tngtech.archunit.base.DescribedPredicate.not;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.equivalentTo;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.resideInAnyPackage;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noMethods;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;

import static org.assertj.core.api.Assertions.assertThat;

import com.tngtech.archunit.base.DescribedPredicate;
import com.tngtech.archunit.core.domain.JavaAccess;
import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.domain.JavaMethod;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.lang.ArchCondition;
import com.tngtech.archunit.lang.ArchRule;
import com.tngtech.archunit.library.dependencies.SliceAssignment;
import com.tngtech.archunit.library.dependencies.SliceIdentifier;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.FieldSource;
import org.w3c.dom.Element;

import java.io.Serializable;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;

import javax.xml.parsers.DocumentBuilderFactory;

/**
 * The arrows between the modules, and the few habits that every module shares.
 *
 * <p>Modules are read from their folders as compiled classes, because a package name does not say
 * which module a class lives in. Whoever adds a module adds it to {@link #MODULES} and says there
 * what it may know.
 */
class ArrowsTest {

    /**
     * What a module may know besides itself and the JDK.
     *
     * @param folder where the module lives, as the parent pom spells it
     * @param modules other modules, by folder
     * @param libraries packages of third parties
     */
    private record Module(String folder, List<String> modules, List<String> libraries) {
        @Override
        public String toString() {
            return folder;
        }
    }

    private static final List<Module> MODULES =
            List.of(
                    new Module("core", List.of(), List.of("org.jspecify..")),
                    new Module(
                            "testkit",
                            List.of("core"),
                            List.of("org.junit..", "org.assertj..", "org.jspecify..")),
                    new Module(
                            "postgres",
                            List.of("core"),
                            List.of(
                                    "org.jspecify..",
                                    "org.slf4j..",
                                    "javax.sql..",
                                    "com.zaxxer.hikari..",
                                    "org.postgresql..")),
                    new Module(
                            "valkey",
                            List.of("core"),
                            List.of(
                                    "org.jspecify..",
                                    "org.slf4j..",
                                    "io.lettuce.core..",
                                    "io.netty..")),
                    new Module(
                            "embedded",
                            List.of("core"),
                            List.of(
                                    "org.jspecify..",
                                    "org.slf4j..",
                                    "org.apache.commons.compress..",
                                    "org.tukaani.xz..")),
                    new Module(
                            "engine",
                            List.of("core"),
                            List.of("org.jspecify..", "org.slf4j..", "com.cronutils..")),
                    new Module(
                            "worker",
                            List.of("core", "engine"),
                            List.of("org.jspecify..", "org.slf4j..")),
                    new Module(
                            "flowfabric",
                            List.of("core", "engine", "worker", "postgres", "embedded"),
                            List.of(
                                    "org.jspecify..",
                                    "org.slf4j..",
                                    "javax.sql..",
                                    "tools.jackson..")),
                    new Module(
                            "micrometer",
                            List.of("core", "engine", "worker", "flowfabric"),
                            List.of(
                                    "org.jspecify..",
                                    "io.micrometer.core..",
                                    "io.micrometer.observation..")),
                    new Module(
                            "examples",
                            List.of("flowfabric", "core", "engine", "worker", "embedded"),
                            List.of("org.jspecify..", "com.sun.net.httpserver..")),
                    new Module(
                            "cli",
                            List.of("core", "engine", "worker", "postgres", "valkey", "embedded"),
                            List.of("org.jspecify..")),
                    new Module(
                            "bench",
                            List.of(
                                    "core",
                                    "postgres",
                                    "valkey",
                                    "embedded",
                                    "engine",
                                    "worker",
                                    "flowfabric"),
                            List.of(
                                    "org.jspecify..",
                                    "javax.sql..",
                                    "com.zaxxer.hikari..",
                                    "io.lettuce.core..",
                                    "com.github.kagkarlsson.scheduler..",
                                    "org.jobrunr..",
                                    "org.quartz..",
                                    "dev.dbos.transact..")),
                    new Module(
                            "mutation",
                            List.of("embedded"),
                            List.of("org.jspecify..", "org.junit.platform..", "org.pitest..")));

    /** Modules without production code: they may know everything, and nobody knows them. */
    private static final List<String> TESTS_ALONE = List.of("faults");

    private static final List<String> FOLDERS =
            Stream.concat(MODULES.stream().map(Module::folder), TESTS_ALONE.stream()).toList();

    /** What of the JDK is for everyone; the rest is asked for as a library. */
    private static final List<String> JDK = List.of("java..", "javax.crypto..");

    static final Path ROOT = root();

    private static final Map<Path, JavaClasses> IMPORTED = new ConcurrentHashMap<>();

    @Test
    void every_module_of_the_parent_pom_is_on_the_list() throws Exception {
        var pom =
                DocumentBuilderFactory.newInstance()
                        .newDocumentBuilder()
                        .parse(ROOT.resolve("pom.xml").toFile());
        var nodes = pom.getElementsByTagName("module");
        var folders = new ArrayList<String>();
        for (int i = 0; i < nodes.getLength(); i++) {
            folders.add(((Element) nodes.item(i)).getTextContent().strip());
        }
        folders.removeAll(List.of("architecture", "bom"));

        assertThat(FOLDERS)
                .as("FOLDERS in ArrowsTest, compared with <modules> in the parent pom")
                .containsExactlyInAnyOrderElementsOf(folders);
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void a_module_knows_only_what_the_list_allows(Module module) {
        var known = Stream.concat(Stream.of(module.folder), module.modules.stream()).toList();
        var packages = Stream.concat(JDK.stream(), module.libraries.stream());

        check(
                classes()
                        .should()
                        .onlyDependOnClassesThat(
                                liveIn(known)
                                        .or(resideInAnyPackage(packages.toArray(String[]::new))))
                        .as(
                                "%s knows only the JDK, the modules %s and the libraries %s"
                                        .formatted(module, known, module.libraries)),
                production(module.folder));
    }

    @ParameterizedTest
    @FieldSource("MODULES")
    void packages_of_a_module_form_no_cycle(Module module) {
        check(slices().assignedFrom(PACKAGES).should().beFreeOfCycles(), production(module.folder));
    }

    @Test
    void core_does_no_input_or_output() {
        check(
                noClasses()
                        .should()
                        .dependOnClassesThat(
                                resideInAnyPackage(
                                                "java.io..",
                                                "java.net..",
                                                "java.nio.channels..",
                                                "java.nio.file..",
                                                "java.sql..",
                                                "javax.sql..")
                                        .and(not(equivalentTo(Serializable.class))))
                        .as("core does no input or output")
                        .because("it only decides; an exception is Serializable, and that is all"),
                production("core"));
    }

    @Test
    void accessors_of_the_public_api_have_no_get() {
        check(
                noMethods()
                        .that()
                        .arePublic()
                        .and()
                        .areDeclaredInClassesThat()
                        .arePublic()
                        .should(ArchCondition.from(BE_GETTERS))
                        .because("an accessor is named after what it answers: id(), not getId()"),
                production("core"));
    }

    @ParameterizedTest
    @FieldSource("FOLDERS")
    void a_name_says_what_a_class_is(String folder) {
        check(
                noClasses()
                        .should()
                        .haveNameMatching(".*(Impl|Manager|Helper|Utils?)")
                        .because("these words only say that somebody needed a place for code"),
                everything(folder));
    }

    @ParameterizedTest
    @FieldSource("FOLDERS")
    void nobody_sleeps(String folder) {
        check(
                noClasses()
                        .should()
                        .accessTargetWhere(A_THREAD_IS_PUT_TO_SLEEP)
                        .because("time is a clock that is passed in, and waiting has a condition"),
                everything(folder));
    }

    private static final DescribedPredicate<JavaMethod> BE_GETTERS =
            describe(
                    "be getters",
                    method ->
                            method.getName().matches("get[A-Z].*")
                                    && method.getRawParameterTypes().isEmpty()
                                    && !isInherited(method));

    private static final DescribedPredicate<JavaAccess<?>> A_THREAD_IS_PUT_TO_SLEEP =
            describe(
                    "a thread is put to sleep",
                    access ->
                            access.getTarget().getName().equals("sleep")
                                    && (access.getTargetOwner().isAssignableTo(Thread.class)
                                            || access.getTargetOwner()
                                                    .isAssignableTo(TimeUnit.class)));

    /**
     * A package is a slice. What users hand in, such as options and names, is a slice apart from
     * the entry points beside it: internal packages work with the former, and only entry points
     * know internal packages.
     */
    private static final SliceAssignment PACKAGES =
            new SliceAssignment() {
                @Override
                public SliceIdentifier getIdentifierOf(JavaClass type) {
                    return isValue(outermost(type))
                            ? SliceIdentifier.of(type.getPackageName(), "values")
                            : SliceIdentifier.of(type.getPackageName());
                }

                @Override
                public String getDescription() {
                    return "packages";
                }
            };

    /** A nested class is where the class is that it is a part of. */
    private static JavaClass outermost(JavaClass type) {
        return type.getEnclosingClass().map(ArrowsTest::outermost).orElse(type);
    }

    /** Whether internal packages use it, and it knows nothing of them. */
    private static boolean isValue(JavaClass type) {
        return !isInternal(type)
                && type.getDirectDependenciesToSelf().stream()
                        .anyMatch(dependency -> isInternal(dependency.getOriginClass()))
                && type.getDirectDependenciesFromSelf().stream()
                        .noneMatch(dependency -> isInternal(dependency.getTargetClass()));
    }

    static boolean isInternal(JavaClass type) {
        return (type.getPackageName() + ".").contains(".internal.");
    }

    /** Whether the name was chosen elsewhere, as {@code getMessage} of an exception is. */
    private static boolean isInherited(JavaMethod method) {
        var owner = method.getOwner();
        return Stream.concat(
                        owner.getAllRawSuperclasses().stream(),
                        owner.getAllRawInterfaces().stream())
                .anyMatch(type -> type.tryGetMethod(method.getName()).isPresent());
    }

    private static DescribedPredicate<JavaClass> liveIn(List<String> folders) {
        var homes = folders.stream().map(ArrowsTest::production).toList();
        return describe(
                "live in " + folders,
                type -> {
                    var name = type.getBaseComponentType().getName();
                    return homes.stream().anyMatch(home -> home.contain(name));
                });
    }

    /** A rule that finds nothing to look at has not passed. */
    private static void check(ArchRule rule, JavaClasses... places) {
        for (var place : places) {
            rule.allowEmptyShould(false).check(place);
        }
    }

    private static JavaClasses[] everything(String folder) {
        var tests = compiled(folder, "test-classes");
        return TESTS_ALONE.contains(folder)
                ? new JavaClasses[] {tests}
                : new JavaClasses[] {production(folder), tests};
    }

    private static JavaClasses production(String folder) {
        return compiled(folder, "classes");
    }

    private static JavaClasses compiled(String folder, String output) {
        return IMPORTED.computeIfAbsent(
                ROOT.resolve(folder).resolve("target").resolve(output),
                path -> new ClassFileImporter().importPath(path));
    }

    /** Where the parent pom is, seen from the compiled classes of this test. */
    private static Path root() {
        try {
            var classes = ArrowsTest.class.getProtectionDomain().getCodeSource().getLocation();
            return Path.of(classes.toURI()).resolve("../../..").normalize();
        } catch (URISyntaxException e) {
            throw new IllegalStateException(e);
        }
    }
}
