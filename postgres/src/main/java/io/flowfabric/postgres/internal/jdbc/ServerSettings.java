package io.flowfabric.postgres.internal.jdbc;

import io.flowfabric.postgres.DatabaseOptions;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/**
 * What our connections ask of the server, and how it is told: once for a connection that is ours
 * alone, or in front of each transaction where a pooler may run the next one elsewhere.
 *
 * <p>Nothing is ever set for longer than a transaction behind such a pooler. It would be found by
 * others who are given that connection to the server, and not by us when we are given another one.
 */
final class ServerSettings {
    /** From which version on there is a {@code transaction_timeout}. */
    private static final int TRANSACTION_TIMEOUT_SINCE = 17;

    private final Map<String, String> values = new LinkedHashMap<>();

    private ServerSettings() {}

    /** The settings of connections that run statements. */
    static ServerSettings of(DatabaseOptions options, int serverVersion) {
        var settings = new ServerSettings();
        settings.plans();
        settings.limit("statement_timeout", options.statementTimeout());
        settings.limit("lock_timeout", options.lockTimeout());
        var client = options.clientTimeouts();
        settings.limit("idle_in_transaction_session_timeout", client.idleInTransaction());
        if (serverVersion >= TRANSACTION_TIMEOUT_SINCE) {
            settings.limit("transaction_timeout", client.transaction());
        }
        return settings;
    }

    /** No settings. */
    static ServerSettings none() {
        return new ServerSettings();
    }

    /**
     * One plan per statement, made once, that stays good whatever the tables held when it was made:
     * by index, a row at a time. Tables that were empty then, or whose statistics are old, would
     * otherwise be read whole from then on.
     */
    private void plans() {
        values.put("plan_cache_mode", "force_generic_plan");
        values.put("enable_seqscan", "off");
        values.put("enable_bitmapscan", "off");
        values.put("enable_hashjoin", "off");
        values.put("enable_mergejoin", "off");
        values.put("jit", "off");
    }

    /**
     * These settings and those by which the server notices that we are frozen or gone. They are
     * about the other end of its connection, so they say nothing of us where that is a pooler.
     *
     * <p>What is sent and not taken ends the connection after the timeout: nothing else does while
     * the server waits to send more, no timeout of statements or transactions. A client that
     * vanished while nothing was sent is found by keepalives, and while a statement waits also by
     * looking whether the connection was closed.
     *
     * @param looks whether the server can look
     */
    ServerSettings andPeer(DatabaseOptions options, boolean looks) {
        var timeout = options.clientTimeouts().peer();
        if (!timeout.isZero()) {
            limit("tcp_user_timeout", timeout);
            long interval = Math.max(1, timeout.toSeconds() / 4);
            values.put("tcp_keepalives_idle", Long.toString(2 * interval));
            values.put("tcp_keepalives_interval", Long.toString(interval));
            values.put("tcp_keepalives_count", "2");
            if (looks) {
                limit("client_connection_check_interval", timeout.dividedBy(4));
            }
        }
        return this;
    }

    private void limit(String setting, Duration limit) {
        if (!limit.isZero()) {
            values.put(setting, Long.toString(limit.toMillis()));
        }
    }

    /** The statements that set all of it for as long as the connection lasts. */
    String forConnection() {
        return values.entrySet().stream()
                .map(setting -> "set %s = %s".formatted(setting.getKey(), setting.getValue()))
                .collect(Collectors.joining("; "));
    }

    /**
     * The statements that set what would be strange to a program's own statements back to what it
     * is without us, until the transaction ends.
     */
    String undoneForTransaction() {
        return values.keySet().stream()
                .filter(setting -> !setting.startsWith("tcp_") && !setting.startsWith("client_"))
                .map("set local %s to default"::formatted)
                .collect(Collectors.joining("; "));
    }

    /**
     * A statement, to be sent in front of another one in the same message, that sets all of it
     * until the transaction ends. It answers one row.
     */
    String forTransaction() {
        return values.entrySet().stream()
                .map(
                        setting ->
                                "set_config('%s', '%s', true)"
                                        .formatted(setting.getKey(), setting.getValue()))
                .collect(Collectors.joining(", ", "select ", ";"));
    }
}
