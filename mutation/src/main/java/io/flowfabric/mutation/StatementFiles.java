package io.flowfabric.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The files of statements of a module, and all changes of them. */
final class StatementFiles {
    private static final String FOLDER = "io/flowfabric/postgres/internal/sql";

    private final Map<String, String> texts = new LinkedHashMap<>();
    private final List<Block> blocks = new ArrayList<>();

    private StatementFiles() {}

    /**
     * @param root where the class path of the module begins
     */
    static StatementFiles in(Path root) throws IOException {
        var files = new StatementFiles();
        try (var listed = Files.list(root.resolve(FOLDER))) {
            for (var file : listed.sorted().toList()) {
                files.add(file.getFileName().toString(), Files.readString(file));
            }
        }
        return files;
    }

    void add(String name, String text) {
        texts.put(name, text);
        blocks.addAll(Block.of(name, text));
    }

    /** Every change, always in the same order. */
    List<Mutant> mutants() {
        return blocks.stream()
                .flatMap(block -> StatementMutants.of(block, text(block)).stream())
                .toList();
    }

    /** The statements that a change of a block changes. */
    Set<String> statements(Block block) {
        return block.statements(blocks);
    }

    /** A folder with the file as a mutant changes it, where the class path expects it. */
    Path changed(Mutant mutant, Path scratch) throws IOException {
        var folder = scratch.resolve(FOLDER);
        Files.createDirectories(folder);
        try (var left = Files.list(folder)) {
            for (var file : left.toList()) {
                Files.delete(file);
            }
        }
        Files.writeString(
                folder.resolve(mutant.block().file()), mutant.applied(text(mutant.block())));
        return scratch;
    }

    private String text(Block block) {
        var text = texts.get(block.file());
        if (text == null) {
            throw new IllegalArgumentException("There is no file " + block.file() + ".");
        }
        return text;
    }
}
