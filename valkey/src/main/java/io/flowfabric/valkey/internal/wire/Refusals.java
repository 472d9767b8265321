package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;

import org.jspecify.annotations.Nullable;

/**
 * What an error of a server or of the way to it means to those who called: the one place where it
 * is decided. {@code docs/valkey.md} has the table.
 */
final class Refusals {
    private Refusals() {}

    /** The server does not know a function: its library was never loaded there, or flushed. */
    static final class FunctionsMissing extends RuntimeException {
        private static final long serialVersionUID = 1;

        FunctionsMissing(Throwable cause) {
            super("The functions are not loaded.", cause);
        }
    }

    /** What went wrong while there was no connection, so that surely nothing was sent. */
    static RuntimeException connecting(String server, RedisException e) {
        var said = said(deepest(e));
        if (said.startsWith("WRONGPASS") || said.startsWith("NOAUTH")) {
            return unavailable(
                    "%s refuses the login: %s. Check user and password.".formatted(server, said),
                    e);
        }
        return new StoreFailure(
                "%s cannot be reached: %s. Check that it runs and that the URL is right."
                        .formatted(server, said),
                false,
                e);
    }

    /** What went wrong with a call. */
    static RuntimeException of(String server, @Nullable Throwable cause) {
        var said = said(cause);
        return switch (cause) {
            case RedisCommandExecutionException e when said.contains("Function not found") ->
                    new FunctionsMissing(e);
            case RedisLoadingException e -> again("%s is reading its data", server, e);
            case RedisBusyException e -> again("%s is busy with a function", server, e);
            case RedisReadOnlyException e ->
                    again("%s takes no writes: another one is becoming the primary", server, e);
            case RedisCommandExecutionException e -> refused(server, said, e);
            // It was refused before it was sent.
            case RedisException e when said.startsWith("Currently not connected") ->
                    new StoreFailure("There is no connection to %s.".formatted(server), false, e);
            case null, default ->
                    new StoreFailure(
                            "The connection to %s was lost: %s.".formatted(server, said),
                            true,
                            cause == null ? new IllegalStateException() : cause);
        };
    }

    /** What a server says no to, by the first word of its answer. */
    private static RuntimeException refused(
            String server, String said, RedisCommandExecutionException e) {
        int space = said.indexOf(' ');
        return switch (space < 0 ? said : said.substring(0, space)) {
            case "TRYAGAIN", "CLUSTERDOWN", "MASTERDOWN", "LOADING", "BUSY", "READONLY" ->
                    new StoreFailure("%s says: %s.".formatted(server, said), false, e);
            case "OOM" ->
                    new StoreFailure(
                            "%s has no memory left (%s): raise its maxmemory, or forget more."
                                    .formatted(server, said),
                            false,
                            e);
            case "MISCONF" ->
                    new StoreFailure(
                            "%s cannot write to its disk (%s): see to that."
                                    .formatted(server, said),
                            false,
                            e);
            case "NOREPLICAS" ->
                    new StoreFailure(
                            "%s has too few replicas to take writes (%s).".formatted(server, said),
                            false,
                            e);
            case "NOPERM" ->
                    unavailable(
                            ("%s refuses: %s. Grant the user the commands of docs/valkey.md on the"
                                            + " keys of its prefix.")
                                    .formatted(server, said),
                            e);
            case "NOAUTH", "WRONGPASS" ->
                    unavailable("%s refuses the login: %s.".formatted(server, said), e);
            default -> StoreFailure.refused("%s refuses: %s".formatted(server, said), e);
        };
    }

    private static StoreFailure again(String what, String server, Throwable cause) {
        return new StoreFailure(what.formatted(server) + ".", false, cause);
    }

    private static Unavailable unavailable(String explanation, Throwable cause) {
        var unavailable = new Unavailable(explanation);
        unavailable.initCause(cause);
        return unavailable;
    }

    private static Throwable deepest(Throwable e) {
        var found = e;
        while (found.getCause() != null) {
            found = found.getCause();
        }
        return found;
    }

    private static String said(@Nullable Throwable cause) {
        var message = cause == null ? null : cause.getMessage();
        return message == null ? "nothing more is known" : message;
    }
}
