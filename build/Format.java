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

// The formatter of this repository: java build/Format.java check|apply ROOT
// A script that belongs to no module; Maven starts it with google-java-format on the class path.

/// Folders that tools fill. Hidden folders are passed over too.
static final Set<String> NOT_OURS = Set.of("target", "node_modules");

record Finding(String text, boolean mended) {}

void main(String... arguments) throws IOException {
    if (arguments.length != 2 || !Set.of("check", "apply").contains(arguments[0])) {
        System.err.println("usage: java build/Format.java check|apply ROOT");
        System.exit(2);
    }
    var apply = arguments[0].equals("apply");
    var root = Path.of(arguments[1]);
    var formatter = new Formatter(JavaFormatterOptions.builder().style(Style.AOSP).build());

    var findings =
            sources(root).parallelStream()
                    .flatMap(file -> inspect(formatter, root, file, apply).stream())
                    .toList();

    findings.forEach(finding -> IO.println(finding.text()));
    if (!findings.stream().allMatch(Finding::mended)) {
        if (!apply) {
            IO.println("Run ./ff format to put this right.");
        }
        System.exit(1);
    }
}

Optional<Finding> inspect(Formatter formatter, Path root, Path file, boolean apply) {
    var name = root.relativize(file);
    try {
        var before = Files.readString(file);
        var after = formatter.formatSourceAndFixImports(before);
        if (before.equals(after)) {
            return Optional.empty();
        }
        if (!apply) {
            return Optional.of(new Finding("not formatted: " + name, false));
        }
        Files.writeString(file, after);
        return Optional.of(new Finding("formatted: " + name, true));
    } catch (FormatterException e) {
        return Optional.of(new Finding("not Java: " + name + ":" + e.getMessage(), false));
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
                    var passOver = NOT_OURS.contains(name) || name.startsWith(".");
                    return passOver && !folder.equals(root)
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
    sources.sort(null);
    return sources;
}
