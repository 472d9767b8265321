import com.google.googlejavaformat.java.Formatter;
import com.google.googlejavaformat.java.FormatterException;
import com.google.googlejavaformat.java.JavaFormatterOptions;
import com.google.googlejavaformat.java.JavaFormatterOptions.Style;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;

// The formatter of this repository: `java build/Format.java check|apply ROOT`.
// It is a script and not part of any module; Maven starts it with google-java-format on the class
// path.

/// Folders that hold what tools made. Hidden folders are passed over too.
static final Set<String> NOT_OURS = Set.of("target", "node_modules");

void main(String... arguments) throws IOException {
    if (arguments.length != 2 || !Set.of("check", "apply").contains(arguments[0])) {
        System.err.println("usage: java build/Format.java check|apply ROOT");
        System.exit(2);
    }
    var apply = arguments[0].equals("apply");
    var root = Path.of(arguments[1]).normalize();
    var formatter = new Formatter(JavaFormatterOptions.builder().style(Style.AOSP).build());

    var findings =
            sources(root).parallelStream()
                    .map(file -> inspect(formatter, file, apply))
                    .flatMap(Optional::stream)
                    .sorted()
                    .toList();

    for (var finding : findings) {
        IO.println(finding.what() + ": " + root.relativize(finding.file()) + finding.detail());
    }
    if (findings.stream().anyMatch(Finding::fatal)) {
        System.exit(1);
    }
    if (!apply && !findings.isEmpty()) {
        IO.println("Run ./ff format to put this right.");
        System.exit(1);
    }
}

record Finding(Path file, String what, String detail, boolean fatal)
        implements Comparable<Finding> {
    @Override
    public int compareTo(Finding other) {
        return file.compareTo(other.file);
    }
}

Optional<Finding> inspect(Formatter formatter, Path file, boolean apply) {
    try {
        var before = Files.readString(file);
        var after = formatter.formatSourceAndFixImports(before);
        if (before.equals(after)) {
            return Optional.empty();
        }
        if (apply) {
            Files.writeString(file, after);
        }
        return Optional.of(new Finding(file, apply ? "formatted" : "not formatted", "", false));
    } catch (FormatterException e) {
        var detail = e.getMessage() == null ? "" : " (" + e.getMessage().strip() + ")";
        return Optional.of(new Finding(file, "not Java", detail, true));
    } catch (IOException e) {
        throw new UncheckedIOException(e);
    }
}

List<Path> sources(Path root) throws IOException {
    var sources = new ArrayList<Path>();
    Files.walkFileTree(
            root,
            new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path folder, BasicFileAttributes any) {
                    var name = folder.getFileName().toString();
                    var skip = NOT_OURS.contains(name) || name.startsWith(".");
                    return skip && !folder.equals(root)
                            ? FileVisitResult.SKIP_SUBTREE
                            : FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes any) {
                    if (file.toString().endsWith(".java")) {
                        sources.add(file);
                    }
                    return FileVisitResult.CONTINUE;
                }
            });
    return sources;
}
