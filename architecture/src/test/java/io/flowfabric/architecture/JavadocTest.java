package io.flowfabric.architecture;

import static org.assertj.core.api.Assertions.assertThat;

import com.sun.source.tree.ClassTree;
import com.sun.source.tree.MethodTree;
import com.sun.source.tree.ModifiersTree;
import com.sun.source.tree.Tree;
import com.sun.source.tree.VariableTree;
import com.sun.source.util.JavacTask;
import com.sun.source.util.TreePath;
import com.sun.source.util.TreePathScanner;
import com.sun.source.util.Trees;

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

/**
 * Whether every public member says what it is.
 *
 * <p>Constructors of records are described by the parameters of their record, and what overrides is
 * described where it was declared.
 */
class JavadocTest {
    @ParameterizedTest
    @ValueSource(strings = {"core", "engine", "worker", "flowfabric"})
    void every_public_member_says_what_it_is(String module) throws Exception {
        assertThat(undescribed(Path.of("..", module, "src", "main", "java"))).isEmpty();
    }

    private static List<String> undescribed(Path sources) throws IOException {
        var compiler = ToolProvider.getSystemJavaCompiler();
        try (var files = compiler.getStandardFileManager(null, null, null);
                var paths = Files.walk(sources)) {
            var java =
                    paths.filter(path -> path.toString().endsWith(".java"))
                            .filter(path -> !path.endsWith("module-info.java"))
                            .toList();
            var task =
                    (JavacTask)
                            compiler.getTask(
                                    null,
                                    files,
                                    null,
                                    List.of("-proc:none"),
                                    null,
                                    files.getJavaFileObjectsFromPaths(java));
            var found = new ArrayList<String>();
            var scanner = new Members(Trees.instance(task), found);
            for (var unit : task.parse()) {
                scanner.scan(new TreePath(unit), null);
            }
            return found;
        }
    }

    /** Walks through the members that a user can see, and notes those without a comment. */
    private static final class Members extends TreePathScanner<@Nullable Void, @Nullable Void> {
        private final Trees trees;
        private final List<String> found;

        Members(Trees trees, List<String> found) {
            this.trees = trees;
            this.found = found;
        }

        @Override
        public @Nullable Void visitClass(ClassTree type, @Nullable Void none) {
            if (visible(type.getModifiers())) {
                check(type.getSimpleName().toString());
                super.visitClass(type, null);
            }
            return null;
        }

        @Override
        public @Nullable Void visitMethod(MethodTree method, @Nullable Void none) {
            boolean recordConstructor =
                    method.getReturnType() == null && owner().getKind() == Tree.Kind.RECORD;
            boolean overrides =
                    method.getModifiers().getAnnotations().stream()
                            .anyMatch(a -> a.getAnnotationType().toString().equals("Override"));
            if (visible(method.getModifiers()) && !recordConstructor && !overrides) {
                check(method.getName().toString());
            }
            return null;
        }

        @Override
        public @Nullable Void visitVariable(VariableTree field, @Nullable Void none) {
            if (visible(field.getModifiers())) {
                check(field.getName().toString());
            }
            return null;
        }

        private void check(String name) {
            var comment = trees.getDocComment(getCurrentPath());
            if (comment == null || comment.isBlank() || comment.strip().startsWith("The same,")) {
                var unit = getCurrentPath().getCompilationUnit();
                long start =
                        trees.getSourcePositions()
                                .getStartPosition(unit, getCurrentPath().getLeaf());
                found.add(
                        "%s:%d %s"
                                .formatted(
                                        Path.of(unit.getSourceFile().getName()).getFileName(),
                                        unit.getLineMap().getLineNumber(start),
                                        name));
            }
        }

        /** Members of interfaces are public without saying so; so are the constants of enums. */
        private boolean visible(ModifiersTree modifiers) {
            var flags = modifiers.getFlags();
            boolean inInterface =
                    getCurrentPath().getParentPath().getLeaf() instanceof ClassTree outer
                            && outer.getKind() == Tree.Kind.INTERFACE
                            && !flags.contains(Modifier.PRIVATE);
            return inInterface
                    || flags.contains(Modifier.PUBLIC)
                    || flags.contains(Modifier.PROTECTED);
        }

        private ClassTree owner() {
            return (ClassTree) getCurrentPath().getParentPath().getLeaf();
        }
    }
}
