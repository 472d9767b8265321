package io.flowfabric.postgres.internal.jdbc;

import org.jspecify.annotations.Nullable;

import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Consumer;

/**
 * One run of a named statement: every parameter is set by name, then one of the closing methods
 * sends it, in one round trip.
 *
 * <p>Everything that can go wrong is one of the errors of the core, {@link ConstraintViolation}, or
 * a mistake in the statement.
 */
public final class Query extends Parameters {
    private final NamedStatement statement;
    private final Executor executor;
    private final @Nullable Binding[] bindings;

    Query(NamedStatement statement, Executor executor) {
        this.statement = statement;
        this.executor = executor;
        this.bindings = new @Nullable Binding[statement.parameters()];
    }

    /** Every row, in order. */
    public <T extends @Nullable Object> List<T> list(RowReader<? extends T> reader) {
        return execute(
                prepared -> {
                    var all = new ArrayList<T>();
                    try (var results = prepared.executeQuery()) {
                        var row = new Row(statement.name(), results);
                        while (results.next()) {
                            all.add(reader.read(row));
                        }
                    }
                    return all;
                });
    }

    /** Hands every row over, in order. */
    public void each(Consumer<Row> reader) {
        execute(
                prepared -> {
                    try (var results = prepared.executeQuery()) {
                        var row = new Row(statement.name(), results);
                        while (results.next()) {
                            reader.accept(row);
                        }
                    }
                    return true;
                });
    }

    /**
     * The only row.
     *
     * @throws IllegalStateException when there is none, or another one
     */
    public <T extends @Nullable Object> T one(RowReader<? extends T> reader) {
        return execute(
                prepared -> {
                    try (var results = prepared.executeQuery()) {
                        if (!results.next()) {
                            throw unexpected("no row instead of one");
                        }
                        return last(results, reader);
                    }
                });
    }

    /**
     * The only row, if there is one.
     *
     * @throws IllegalStateException when there is another one
     */
    public <T> Optional<T> optional(RowReader<? extends T> reader) {
        return execute(
                prepared -> {
                    try (var results = prepared.executeQuery()) {
                        return results.next()
                                ? Optional.<T>of(last(results, reader))
                                : Optional.empty();
                    }
                });
    }

    /** Runs a statement that answers no rows, and returns how many it changed. */
    public int update() {
        return execute(Prepared::executeUpdate);
    }

    /** Runs the statement and drops its answer. */
    public void run() {
        execute(
                prepared -> {
                    prepared.execute();
                    return true;
                });
    }

    private <T extends @Nullable Object> T last(ResultSet results, RowReader<? extends T> reader)
            throws SQLException {
        T value = reader.read(new Row(statement.name(), results));
        if (results.next()) {
            throw unexpected("more than one row");
        }
        return value;
    }

    private <T extends @Nullable Object> T execute(Executor.Call<T> call) {
        return executor.run(
                statement,
                prepared -> {
                    bindAll(prepared.statement());
                    return call.on(prepared);
                });
    }

    private void bindAll(PreparedStatement prepared) throws SQLException {
        for (int slot = 0; slot < bindings.length; slot++) {
            var binding = bindings[slot];
            if (binding == null) {
                throw new IllegalStateException(
                        "The parameter :%s of the statement %s is not set."
                                .formatted(statement.parameterAt(slot), statement.name()));
            }
            for (int position : statement.positions(slot)) {
                binding.bind(prepared, position);
            }
        }
    }

    @Override
    Query put(String parameter, Binding binding) {
        bindings[statement.slot(parameter)] = binding;
        return this;
    }

    private IllegalStateException unexpected(String what) {
        return new IllegalStateException(
                "The statement %s answered %s.".formatted(statement.name(), what));
    }
}
