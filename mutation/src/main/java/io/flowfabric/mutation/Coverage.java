package io.flowfabric.mutation;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which statements each test runs, and how long it takes. */
record Coverage(List<Covering> tests) {
    /**
     * @param test its id, as the test platform has it
     */
    record Covering(String test, long millis, Set<String> statements) {
        String line() {
            return String.join("\t", test, "" + millis, String.join(",", statements));
        }

        static Covering parse(String line) {
            var columns = line.split("\t", -1);
            var statements =
                    Stream.of(columns[2].split(",", -1))
                            .filter(name -> !name.isEmpty())
                            .collect(Collectors.toUnmodifiableSet());
            return new Covering(columns[0], Long.parseLong(columns[1]), statements);
        }
    }

    static Coverage read(Path file) throws IOException {
        try (var lines = Files.lines(file)) {
            return new Coverage(lines.map(Covering::parse).toList());
        }
    }

    /** The tests that run one of the statements, the fastest first. */
    List<Covering> of(Set<String> statements) {
        return tests.stream()
                .filter(test -> test.statements.stream().anyMatch(statements::contains))
                .sorted(Comparator.comparingLong(Covering::millis))
                .toList();
    }
}
