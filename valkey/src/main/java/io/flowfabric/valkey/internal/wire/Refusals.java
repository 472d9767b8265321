package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;
import io.flowfabric.valkey.internal.wire.Unprepared.Need;
import io.lettuce.core.RedisBusyException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisConnectionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisLoadingException;
import io.lettuce.core.RedisReadOnlyException;
import io.lettuce.core.cluster.PartitionSelectorException;

import org.jspecify.annotations.Nullable;

/**
 * What an error of a server or of the way to it means to those who called: the one place where it
 * is decided. {@code docs/valkey.md} has the table.
 */
final class Refusals {
    private Refusals() {}

    /** What went wrong while there was no connection, so that surely nothing was sent. */
    static RuntimeException connecting(String server, Throwable e) {
        var said = said(deepest(e));
        if (said.startsWith("WRONGPASS") || said.startsWith("NOAUTH")) {
            return unavailable(
                    "%s refuses the login: %s. Check user and password.".formatted(server, said),
                    e);
        }
        if (said.startsWith("NOPERM")) {
            return forbidden(server, said, e);
        }
        if (said.contains("cluster support disabled")) {
            return unavailable(
                    "%s is no cluster (%s): give the URL of one server.".formatted(server, said),
                    e);
        }
        if (said.contains("SELECT is not allowed in cluster mode")) {
            return unavailable(
                    "%s is a cluster, which has no numbered databases: leave the number out."
                            .formatted(server),
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
                    new Unprepared(
                            Need.THE_FUNCTIONS,
                            new StoreFailure(
                                    "%s does not keep our functions.".formatted(server), false, e));
            case RedisLoadingException e -> again("%s is reading its data", server, e);
            case RedisBusyException e -> again("%s is busy with a function", server, e);
            case RedisReadOnlyException e ->
                    new Unprepared(
                            Need.A_PRIMARY,
                            again(
                                    "%s takes no writes: another one is the primary, or becomes it",
                                    server, e));
            case RedisCommandExecutionException e -> refused(server, said, e);
            // It was refused before it was sent.
            case RedisException e when said.startsWith("Currently not connected") ->
                    new Unprepared(
                            Need.A_CONNECTION,
                            new StoreFailure(
                                    "%s cannot be reached at the moment.".formatted(server),
                                    false,
                                    e));
            case RedisConnectionException e when said.startsWith("Unable to") ->
                    connecting(server, e);
            case PartitionSelectorException e ->
                    new Unprepared(
                            Need.AN_OWNER,
                            again(
                                    "%s is a cluster of which no node is known to serve this",
                                    server, e));
            case null, default ->
                    new StoreFailure(
                            "%s did not answer before the connection was lost: %s."
                                    .formatted(server, said),
                            true,
                            cause == null ? new IllegalStateException() : cause);
        };
    }

    /**
     * What a server says no to, by the first word of its answer. Only what is plainly about the
     * request is final: a worker that is told so gives finished work up. All else passes, also what
     * a proxy or a later server says in words that are not known here.
     */
    private static RuntimeException refused(
            String server, String said, RedisCommandExecutionException e) {
        int space = said.indexOf(' ');
        return switch (space < 0 ? said : said.substring(0, space)) {
            case "TRYAGAIN" ->
                    new Unprepared(
                            Need.ALL_KEYS, again("%s is moving this to another node", server, e));
            case "MOVED", "ASK" -> new Unprepared(Need.ANOTHER_NODE, passing(server, said, e));
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
            case "NOPERM" -> forbidden(server, said, e);
            case "NOAUTH", "WRONGPASS" ->
                    unavailable("%s refuses the login: %s.".formatted(server, said), e);
            case "WRONGTYPE", "CROSSSLOT" -> wrong(server, said, e);
            case "ERR" -> error(server, said, e);
            default -> passing(server, said, e);
        };
    }

    /** What most servers begin with {@code ERR}: mistakes of a program, and much else. */
    private static RuntimeException error(
            String server, String said, RedisCommandExecutionException e) {
        if (said.contains("killed by user")) {
            // Servers end only functions that have written nothing.
            return again("%s ended the function because an operator told it to", server, e);
        }
        if (said.startsWith("ERR unknown command")) {
            return unavailable(
                    "%s is too old: %s. Use Redis 7.0, Valkey 7.2, or later."
                            .formatted(server, said),
                    e);
        }
        boolean mistaken =
                said.contains("user_function")
                        || said.contains("script: ")
                        || said.startsWith("ERR Error running")
                        || said.startsWith("ERR wrong number of")
                        || said.startsWith("ERR Number of keys")
                        || said.startsWith("ERR Protocol error");
        return mistaken ? wrong(server, said, e) : passing(server, said, e);
    }

    private static StoreFailure wrong(String server, String said, Throwable cause) {
        return StoreFailure.refused("%s refuses: %s".formatted(server, said), cause);
    }

    private static StoreFailure passing(String server, String said, Throwable cause) {
        return new StoreFailure("%s says: %s.".formatted(server, said), false, cause);
    }

    private static Unavailable forbidden(String server, String said, Throwable cause) {
        return unavailable(
                ("%s refuses: %s. Grant the user the commands of docs/valkey.md on the keys"
                                + " of its prefix.")
                        .formatted(server, said),
                cause);
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
