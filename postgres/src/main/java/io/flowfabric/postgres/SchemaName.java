package io.flowfabric.postgres;

import io.flowfabric.core.Invalid;

import java.util.regex.Pattern;

/**
 * The name of the schema that everything of ours lives in.
 *
 * <p>It is written into SQL as it is, therefore only lower-case letters, digits and underscores: a
 * name that Postgres would fold or that would need quotes means two things in two places.
 */
public record SchemaName(String text) {
    /** Postgres cuts longer identifiers, silently. */
    private static final int MAX_LENGTH = 63;

    private static final Pattern ALLOWED = Pattern.compile("[a-z_][a-z0-9_]*");

    /** Where things live when nobody says otherwise. */
    public static final SchemaName DEFAULT = new SchemaName("flowfabric");

    public SchemaName {
        if (text.isEmpty()) {
            throw refused(Invalid.Code.EMPTY, "the schema name is empty.");
        }
        if (text.length() > MAX_LENGTH) {
            throw refused(
                    Invalid.Code.TOO_LONG,
                    "%d characters are more than the %d that Postgres keeps of a name."
                            .formatted(text.length(), MAX_LENGTH));
        }
        if (!ALLOWED.matcher(text).matches()) {
            throw refused(
                    Invalid.Code.MALFORMED_NAME,
                    ("\"%s\" is not made of lower-case letters, digits and underscores,"
                                    + " beginning with no digit.")
                            .formatted(text));
        }
        if (text.startsWith("pg_") || text.equals("information_schema")) {
            throw refused(
                    Invalid.Code.MALFORMED_NAME,
                    "\"%s\" belongs to Postgres itself; choose another name.".formatted(text));
        }
    }

    /** The text with every placeholder {@code ${schema}} replaced by this name. */
    public String fill(String sql) {
        return sql.replace("${schema}", text);
    }

    @Override
    public String toString() {
        return text;
    }

    private static Invalid refused(Invalid.Code code, String explanation) {
        return new Invalid(code, "schema", explanation);
    }
}
