package io.flowfabric.bench.contender;

import io.flowfabric.postgres.SchemaName;

import java.io.FileNotFoundException;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;

/** SQL that lives in a file beside this class. */
final class Script {
    private Script() {}

    static String load(String file, SchemaName schema) {
        try (var in = Script.class.getResourceAsStream(file)) {
            if (in == null) {
                throw new FileNotFoundException(file);
            }
            return schema.fill(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
