package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import org.jspecify.annotations.Nullable;
import org.postgresql.util.PSQLException;
import org.postgresql.util.ServerErrorMessage;

import java.sql.SQLException;
import java.util.List;
import java.util.Objects;

/** What an SQL state means to those who called: the one place where it is decided. */
public final class Failures {
    private static final String SERIALIZATION_FAILURE = "40001";
    private static final String DEADLOCK_DETECTED = "40P01";
    private static final String STATEMENT_COMPLETION_UNKNOWN = "40003";
    private static final String READ_ONLY_TRANSACTION = "25006";
    private static final String IN_FAILED_TRANSACTION = "25P02";
    private static final String PREPARED_ALREADY = "42P05";
    private static final String NOT_PREPARED = "26000";
    private static final String QUERY_CANCELED = "57014";

    private Failures() {}

    /** Whether Postgres undid everything and a repeat is worth it. */
    static boolean rolledBack(SQLException e) {
        var state = state(e);
        return state.equals(SERIALIZATION_FAILURE) || state.equals(DEADLOCK_DETECTED);
    }

    /** Whether an error says that the transaction had failed before, by another statement. */
    public static boolean failedBefore(RuntimeException error) {
        return error.getCause() instanceof SQLException e && state(e).equals(IN_FAILED_TRANSACTION);
    }

    /** Whether an error says that a statement took too long: a smaller one may not. */
    public static boolean cutOff(RuntimeException error) {
        return error.getCause() instanceof SQLException e && state(e).equals(QUERY_CANCELED);
    }

    /** Whether an error says that the transaction cannot go on beside what others committed. */
    public static boolean notSerializable(RuntimeException error) {
        return error.getCause() instanceof SQLException e && state(e).equals(SERIALIZATION_FAILURE);
    }

    /** Whether an error says that the transaction may not write. */
    public static boolean readOnly(RuntimeException error) {
        return error.getCause() instanceof SQLException e && state(e).equals(READ_ONLY_TRANSACTION);
    }

    /** Whether the connection leads to a server that cannot serve us, though it answers. */
    static boolean wrongServer(SQLException e) {
        return state(e).equals(READ_ONLY_TRANSACTION);
    }

    /**
     * What went wrong while no connection was at hand, so that surely nothing was sent.
     *
     * @param server who was to be reached, as a person would say it
     * @param busy what to say when nothing is known but that no connection became free
     */
    static RuntimeException connecting(String server, String busy, SQLException e) {
        if (e.getCause() instanceof InterruptedException) {
            return new StoreFailure(
                    "The thread was interrupted while it waited for a connection.", false, e);
        }
        var root = e.getCause() instanceof SQLException cause ? cause : e;
        var state = state(root);
        var said = said(root);
        if (state.startsWith("28")) {
            return unavailable(
                    "%s refuses the login: %s. Check user and password.".formatted(server, said),
                    root);
        }
        return switch (state) {
            case "3D000" ->
                    unavailable(
                            "%s answers, but: %s. Create the database, or correct the URL."
                                    .formatted(server, said),
                            root);
            case "42501" ->
                    unavailable(
                            "%s refuses: %s. Grant it, or use another user."
                                    .formatted(server, said),
                            root);
            case "53300" ->
                    new StoreFailure(
                            ("%s has no connection left (%s): raise its max_connections or"
                                            + " lower the pool size.")
                                    .formatted(server, said),
                            false,
                            root);
            case "57P03" ->
                    new StoreFailure(
                            "%s is starting or stopping (%s).".formatted(server, said),
                            false,
                            root);
            case PREPARED_ALREADY, NOT_PREPARED -> behindPooler(said, root);
            case "08P01" ->
                    unavailable(
                            ("%s, or a pooler in front of it, refuses: %s. PgBouncer needs"
                                            + " ignore_startup_parameters = extra_float_digits.")
                                    .formatted(server, said),
                            root);
            case "" -> new StoreFailure(busy, false, root);
            default ->
                    new StoreFailure(
                            ("%s cannot be reached: %s. Check that it runs and that the"
                                            + " URL is right.")
                                    .formatted(server, said),
                            false,
                            root);
        };
    }

    /**
     * What went wrong with a statement or a commit.
     *
     * @param commits whether it would have been applied for good, had its answer been lost
     */
    public static RuntimeException of(String what, SQLException e, boolean commits) {
        var state = state(e);
        var said = said(e);
        return switch (state) {
            case SERIALIZATION_FAILURE, DEADLOCK_DETECTED, "55P03" -> Retries.contended(what, e);
            case READ_ONLY_TRANSACTION ->
                    new StoreFailure(
                            ("Postgres is read-only (%s): it is a standby, or"
                                            + " default_transaction_read_only is on. Connect to the"
                                            + " primary.")
                                    .formatted(said),
                            false,
                            e);
            case "53100" ->
                    new StoreFailure(
                            "The disk of the Postgres server is full (%s): free some space on it."
                                    .formatted(said),
                            false,
                            e);
            case "53200" ->
                    new StoreFailure(
                            ("The Postgres server is out of memory (%s): give it more, or"
                                            + " lower its settings.")
                                    .formatted(said),
                            false,
                            e);
            case QUERY_CANCELED ->
                    new StoreFailure(
                            ("%s was cut off (%s): the database is overloaded, or"
                                            + " statement_timeout is too short.")
                                    .formatted(what, said),
                            false,
                            e);
            case "42501" ->
                    unavailable(
                            "%s is not permitted (%s): grant it to our user.".formatted(what, said),
                            e);
            case "3F000", "42P01", "42703", "42883", "42704" ->
                    unavailable(
                            "%s does not fit the schema (%s): has it been migrated?"
                                    .formatted(what, said),
                            e);
            case PREPARED_ALREADY, NOT_PREPARED -> behindPooler(said, e);
            default -> byClass(what, state, said, e, commits);
        };
    }

    private static RuntimeException byClass(
            String what, String state, String said, SQLException e, boolean commits) {
        if (state.startsWith("23")) {
            return violation(what, state, e);
        }
        // A value that does not fit, or a limit of the server: the same call meets it again.
        if (state.startsWith("22") || state.startsWith("54")) {
            return StoreFailure.refused(
                    "Postgres refused %s: %s (%s).".formatted(what, said, state), e);
        }
        if (surelyRefused(state, e)) {
            return new StoreFailure(
                    "Postgres refused %s: %s (%s).".formatted(what, said, state), false, e);
        }
        return new StoreFailure(
                "The connection to Postgres broke during %s: %s.".formatted(what, said),
                commits,
                e);
    }

    /** Whether the server said no and stayed, or the driver did before it sent anything. */
    private static boolean surelyRefused(String state, SQLException e) {
        return message(e) == null
                ? List.of("07", "0A", "22", "42").stream().anyMatch(state::startsWith)
                : !state.startsWith("08")
                        && !state.startsWith("57P")
                        && !state.equals(STATEMENT_COMPLETION_UNKNOWN);
    }

    private static ConstraintViolation violation(String what, String state, SQLException e) {
        var kind =
                switch (state) {
                    case "23505" -> ConstraintViolation.Kind.UNIQUE;
                    case "23503" -> ConstraintViolation.Kind.FOREIGN_KEY;
                    case "23514" -> ConstraintViolation.Kind.CHECK;
                    case "23502" -> ConstraintViolation.Kind.NOT_NULL;
                    case "23P01" -> ConstraintViolation.Kind.EXCLUSION;
                    default -> ConstraintViolation.Kind.OTHER;
                };
        var message = message(e);
        var constraint = message == null ? null : message.getConstraint();
        var table = message == null ? null : message.getTable();
        return new ConstraintViolation(
                what,
                kind,
                Objects.requireNonNullElse(constraint, ""),
                Objects.requireNonNullElse(table, ""),
                e);
    }

    /** A statement that was prepared on one connection was looked for on another. */
    private static Unavailable behindPooler(String said, SQLException e) {
        return unavailable(
                ("A pooler changes connections to Postgres between transactions and keeps no"
                     + " prepared statements (%s). Say so with"
                     + " DatabaseOptions.withPooling(TRANSACTION), or let the pooler give each"
                     + " connection one of its own (pool_mode = session).")
                        .formatted(said),
                e);
    }

    private static Unavailable unavailable(String sentence, SQLException cause) {
        var unavailable = new Unavailable(sentence);
        unavailable.initCause(cause);
        return unavailable;
    }

    private static @Nullable ServerErrorMessage message(SQLException e) {
        return e instanceof PSQLException postgres ? postgres.getServerErrorMessage() : null;
    }

    /** What Postgres said, without the detail, which may quote the values of a row. */
    private static String said(SQLException e) {
        var message = message(e);
        var text = message == null ? e.getMessage() : message.getMessage();
        if (text == null) {
            return e.getClass().getSimpleName();
        }
        var line = text.lines().findFirst().orElse("");
        return line.endsWith(".") ? line.substring(0, line.length() - 1) : line;
    }

    private static String state(SQLException e) {
        return Objects.requireNonNullElse(e.getSQLState(), "");
    }
}
