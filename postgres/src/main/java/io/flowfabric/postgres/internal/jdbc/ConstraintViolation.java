package io.flowfabric.postgres.internal.jdbc;

/**
 * A constraint of the schema refused the statement, and nothing of it was kept.
 *
 * <p>It stays inside this module: whoever runs a statement that may meet one knows what it means.
 */
public final class ConstraintViolation extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** Which sort of constraint refused. */
    public enum Kind {
        UNIQUE,
        FOREIGN_KEY,
        CHECK,
        NOT_NULL,
        EXCLUSION,
        OTHER
    }

    private final Kind kind;
    private final String constraint;
    private final String table;

    ConstraintViolation(
            String statement, Kind kind, String constraint, String table, Throwable cause) {
        super(
                "The statement %s was refused by the %s constraint \"%s\" of table %s."
                        .formatted(statement, kind, constraint, table),
                cause);
        this.kind = kind;
        this.constraint = constraint;
        this.table = table;
    }

    public Kind kind() {
        return kind;
    }

    public boolean unique() {
        return kind == Kind.UNIQUE;
    }

    /** The name of the constraint; empty where Postgres names none, as for a missing value. */
    public String constraint() {
        return constraint;
    }

    /** The table without its schema; empty where Postgres names none. */
    public String table() {
        return table;
    }
}
