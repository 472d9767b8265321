package io.flowfabric.mutation;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** Which classes of a module are changed. */
class JavaMutantsTest {
    @TempDir private Path folder;

    @Test
    void some_classes_are_the_same_ones_every_time_and_more_of_them_are_those_and_others()
            throws IOException {
        var place = Files.createDirectories(folder.resolve("target/classes/io/flowfabric"));
        for (var name : List.of("One", "Two", "Three", "Three$Inner")) {
            Files.createFile(place.resolve(name + ".class"));
        }
        Files.createFile(place.resolve("statements.sql"));
        var module = new Module(folder, "");

        var two = JavaMutants.some(module, 2);

        assertThat(two).hasSize(2).isEqualTo(JavaMutants.some(module, 2));
        assertThat(JavaMutants.some(module, 3)).startsWith(two.toArray(String[]::new));
        assertThat(JavaMutants.some(module, 9))
                .containsExactlyInAnyOrder(
                        "io.flowfabric.One",
                        "io.flowfabric.Two",
                        "io.flowfabric.Three",
                        "io.flowfabric.Three$Inner");
    }
}
