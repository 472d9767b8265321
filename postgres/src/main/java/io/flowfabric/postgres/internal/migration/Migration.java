package io.flowfabric.postgres.internal.migration;

import io.flowfabric.postgres.SchemaName;

import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.regex.Pattern;

/**
 * One step from an older schema to a newer one, which never changes after it was released.
 *
 * @param number its place in the order, from 1
 * @param name what it brings
 * @param text the SQL with its placeholders
 * @param readableFrom the last migration that the oldest programs know that can work on a schema
 *     with this one; its own number unless it says so
 */
record Migration(int number, String name, String text, int readableFrom) {
    private static final Pattern FILE = Pattern.compile("(?:.*/)?(\\d{3})_([a-z0-9_]+)\\.sql");
    private static final Pattern READABLE =
            Pattern.compile("^-- readable from: (\\d{3})$", Pattern.MULTILINE);

    /** Reads number and name from a file name like {@code 001_base.sql}. */
    static Migration of(String file, String text) {
        var parts = FILE.matcher(file);
        if (!parts.matches()) {
            throw new IllegalArgumentException(
                    "%s is not named like a migration: NNN_name.sql.".formatted(file));
        }
        // A checkout with other line ends is the same migration.
        var unix = text.replace("\r\n", "\n");
        int number = Integer.parseInt(parts.group(1));
        var readable = READABLE.matcher(unix);
        int from = readable.find() ? Integer.parseInt(readable.group(1)) : number;
        if (from < 1 || from > number) {
            throw new IllegalArgumentException(
                    "%s cannot be readable from %03d on.".formatted(file, from));
        }
        return new Migration(number, parts.group(2), unix, from);
    }

    /** The text for one schema. */
    String sql(SchemaName schema) {
        return schema.fill(text);
    }

    /** Says whether two texts are the same, in whatever schema. */
    String checksum() {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            return HexFormat.of().formatHex(digest.digest(text.getBytes(StandardCharsets.UTF_8)));
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every JVM has SHA-256.", e);
        }
    }

    @Override
    public String toString() {
        return "%03d_%s".formatted(number, name);
    }
}
