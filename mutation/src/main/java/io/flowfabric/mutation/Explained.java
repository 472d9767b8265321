package io.flowfabric.mutation;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * Changes that no test can notice, because they change nothing but the work of the server or of the
 * machine, and why that is so: in {@code explained.txt}, and in {@code explained-code.txt} for
 * code, each has a line with its description, and below it, indented, the reason.
 */
final class Explained {
    private final Map<String, String> reasons = new LinkedHashMap<>();

    private Explained() {}

    /** The changes of statements that are explained. */
    static Explained statements() throws IOException {
        return read("explained.txt");
    }

    /** The changes of code that are explained. */
    static Explained code() throws IOException {
        return read("explained-code.txt");
    }

    private static Explained read(String file) throws IOException {
        try (var in = Objects.requireNonNull(Explained.class.getResourceAsStream(file))) {
            return parse(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        }
    }

    static Explained parse(String text) {
        var explained = new Explained();
        var change = "";
        for (var line : text.split("\n", -1)) {
            if (line.isBlank() || line.startsWith("#")) {
                continue;
            }
            if (line.startsWith(" ")) {
                explained.reasons.merge(change, line.strip(), (some, more) -> some + " " + more);
            } else {
                change = line.strip();
            }
        }
        return explained;
    }

    /** Why a change of this description is not noticed, if that is explained. */
    Optional<String> of(String change) {
        return Optional.ofNullable(reasons.get(change));
    }

    /** The changes that are explained. */
    Set<String> names() {
        return reasons.keySet();
    }
}
