package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.UUID;

/**
 * One row of an answer, read by column name.
 *
 * <p>An accessor without {@code OrNull} insists on a value. A wrong name, a wrong type and a null
 * where none can be are mistakes of the statement's author: {@link IllegalStateException}.
 */
public final class Row {
    private final String statement;
    private final ResultSet results;

    Row(String statement, ResultSet results) {
        this.statement = statement;
        this.results = results;
    }

    public UUID uuid(String column) {
        return present(column, uuidOrNull(column));
    }

    public @Nullable UUID uuidOrNull(String column) {
        try {
            return results.getObject(column, UUID.class);
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public String text(String column) {
        return present(column, textOrNull(column));
    }

    public @Nullable String textOrNull(String column) {
        try {
            return results.getString(column);
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public byte[] bytes(String column) {
        return present(column, bytesOrNull(column));
    }

    public byte @Nullable [] bytesOrNull(String column) {
        try {
            return results.getBytes(column);
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public long longValue(String column) {
        try {
            long value = results.getLong(column);
            if (value == 0 && results.wasNull()) {
                throw missing(column);
            }
            return value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public @Nullable Long longOrNull(String column) {
        try {
            long value = results.getLong(column);
            return (value == 0 && results.wasNull()) ? null : (Long) value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public int intValue(String column) {
        try {
            int value = results.getInt(column);
            if (value == 0 && results.wasNull()) {
                throw missing(column);
            }
            return value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public @Nullable Integer intOrNull(String column) {
        try {
            int value = results.getInt(column);
            return (value == 0 && results.wasNull()) ? null : (Integer) value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public boolean bool(String column) {
        try {
            boolean value = results.getBoolean(column);
            if (!value && results.wasNull()) {
                throw missing(column);
            }
            return value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public @Nullable Boolean boolOrNull(String column) {
        try {
            boolean value = results.getBoolean(column);
            return (!value && results.wasNull()) ? null : (Boolean) value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public double doubleValue(String column) {
        try {
            double value = results.getDouble(column);
            if (value == 0 && results.wasNull()) {
                throw missing(column);
            }
            return value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    public @Nullable Double doubleOrNull(String column) {
        try {
            double value = results.getDouble(column);
            return (value == 0 && results.wasNull()) ? null : (Double) value;
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    /** A {@code timestamptz}, in the microseconds that Postgres keeps. */
    public Instant instant(String column) {
        return present(column, instantOrNull(column));
    }

    public @Nullable Instant instantOrNull(String column) {
        try {
            var value = results.getObject(column, OffsetDateTime.class);
            return value == null ? null : value.toInstant();
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    /** A {@code uuid[]}. */
    public UUID[] uuids(String column) {
        return (UUID[]) array(column);
    }

    /** A {@code bigint[]}; its elements may be null where the statement allows it. */
    public Long[] longs(String column) {
        return (Long[]) array(column);
    }

    /** An {@code integer[]}; its elements may be null where the statement allows it. */
    public Integer[] ints(String column) {
        return (Integer[]) array(column);
    }

    /** A {@code text[]}; its elements may be null where the statement allows it. */
    public String[] texts(String column) {
        return (String[]) array(column);
    }

    private Object array(String column) {
        try {
            return present(column, results.getArray(column)).getArray();
        } catch (SQLException e) {
            throw unreadable(column, e);
        }
    }

    private <T> T present(String column, @Nullable T value) {
        if (value == null) {
            throw missing(column);
        }
        return value;
    }

    private IllegalStateException missing(String column) {
        return new IllegalStateException(
                "The column %s of the statement %s is null.".formatted(column, statement));
    }

    private IllegalStateException unreadable(String column, SQLException e) {
        return new IllegalStateException(
                "The column %s of the statement %s cannot be read: %s"
                        .formatted(column, statement, e.getMessage()),
                e);
    }
}
