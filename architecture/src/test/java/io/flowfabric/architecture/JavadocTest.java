package io.flowfabric.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.DocTrees;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;

import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

import javax.lang.model.element.Modifier;
import javax.tools.ToolProvider;

/** What users call is explained where it is declared. */
class JavadocTest {
    /** An override says what its parent says, and a compact constructor what its record says. */
    @ParameterizedTest
    @ValueSource(strings = {"engine", "worker"})
    void every_public_member_is_explained(String module) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        var missing = new ArrayList<String>();
        try (var files = compiler.getStandardFileManager(null, null, null)) {
            var task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(sources(module)));
            var trees = DocTrees.instance(task);
            for (var unit : task.parse()) {
                new Members(trees, missing).scan(unit, null);
            }
        }
        assertThat(missing).as("public members without Javadoc").isEmpty();
    }

    private static List<Path> sources(String module) throws IOException {
        try (var files = Files.walk(ArrowsTest.ROOT.resolve(module).resolve("src/main/java"))) {
            return files.filter(file -> file.toString().endsWith(".java"))
                    .filter(file -> !file.toString().contains("/internal/"))
                    .filter(file -> !file.endsWith("module-info.java"))
                    .toList();
        }
    }

    private static final class Members extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final DocTrees trees;
        private final List<String> missing;

        Members(DocTrees trees, List<String> missing) {
            this.trees = trees;
            this.missing = missing;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void unused) {
            if (isVisible(type.getModifiers())) {
                look(type.getSimpleName().toString());
                return super.visitClass(type, unused);
            }
            return null;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void unused) {
            boolean inherited =
                    method.getModifiers().getAnnotations().stream()
                            .anyMatch(it -> it.getAnnotationType().toString().equals("Override"));
            boolean compact =
                    method.getReturnType() == null && owner().getKind() == Tree.Kind.RECORD;
            if (isVisible(method.getModifiers()) && !inherited && !compact) {
                look(method.getName().toString());
            }
            return null;
        }

        @Override
        public @Nullable Void visitVariable(VariableTree field, @Nullable Void unused) {
            boolean component =
                    owner().getKind() == Tree.Kind.RECORD
                            && !field.getModifiers().getFlags().contains(Modifier.STATIC);
            if (isVisible(field.getModifiers()) && !component) {
                look(field.getName().toString());
            }
            return null;
        }

        private ClassTree owner() {
            TreePath path = getCurrentPath().getParentPath();
            while (!(path.getLeaf() instanceof ClassTree)) {
                path = path.getParentPath();
            }
            return (ClassTree) path.getLeaf();
        }

        /** Members of an interface are public without saying so. */
        private boolean isVisible(ModifiersTree modifiers) {
            var parent = getCurrentPath().getParentPath();
            boolean inInterface =
                    parent != null && parent.getLeaf().getKind() == Tree.Kind.INTERFACE;
            return modifiers.getFlags().contains(Modifier.PUBLIC)
                    || modifiers.getFlags().contains(Modifier.PROTECTED)
                    || inInterface && !modifiers.getFlags().contains(Modifier.PRIVATE);
        }

        private void look(String name) {
            if (trees.getDocComment(getCurrentPath()) == null) {
                var unit = getCurrentPath().getCompilationUnit();
                var file = Path.of(unit.getSourceFile().getName()).getFileName();
                missing.add("%s: %s".formatted(file, name));
            }
        }
    }
}
