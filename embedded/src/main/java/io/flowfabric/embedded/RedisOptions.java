package io.flowfabric.embedded;

import io.flowfabric.core.Invalid;

import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Pattern;

/**
 * How an embedded Redis runs, or each node of a cluster of them.
 *
 * @param port where it listens on 127.0.0.1; 0 for a free one. A cluster always finds its own
 * @param flush when what was acknowledged is on the disk
 * @param settings further settings of the server, as in {@code redis.conf}
 * @param binaries where the server is unpacked; empty for the folder that the system property
 *     {@code flowfabric.embedded.binaries} names, or else for one inside the home
 * @param timeout how long starting and stopping may each take
 */
public record RedisOptions(
        int port,
        Flush flush,
        Map<String, String> settings,
        Optional<Path> binaries,
        Duration timeout) {
    private static final int LAST_PORT = 65_535;
    private static final Pattern SETTING = Pattern.compile("[a-z][a-z0-9-]*");

    /** Decided by the other options or by the launcher, which relies on them. */
    private static final Set<String> DECIDED =
            Set.of(
                    "port",
                    "bind",
                    "requirepass",
                    "masterauth",
                    "dir",
                    "daemonize",
                    "pidfile",
                    "logfile",
                    "set-proc-title",
                    "save",
                    "appendonly",
                    "appendfsync",
                    "cluster-enabled",
                    "cluster-config-file");

    /** When what was acknowledged is on the disk. */
    public enum Flush {
        /** Before it is acknowledged: a crash loses nothing. */
        ALWAYS("always"),
        /** Within a second: a crash of the machine loses that much. */
        EVERY_SECOND("everysec"),
        /** When the operating system finds time for it: for tests. */
        SELDOM("no");

        final String setting;

        Flush(String setting) {
            this.setting = setting;
        }
    }

    /** A free port, durable, nothing special. */
    public static final RedisOptions DEFAULT =
            new RedisOptions(0, Flush.ALWAYS, Map.of(), Optional.empty(), Duration.ofSeconds(60));

    public RedisOptions {
        if (port < 0 || port > LAST_PORT) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "port",
                    "%d is outside of 0 to %d.".formatted(port, LAST_PORT));
        }
        if (timeout.toSeconds() < 1) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "timeout",
                    "%s is shorter than a second.".formatted(timeout));
        }
        settings = Map.copyOf(settings);
        settings.forEach(RedisOptions::check);
    }

    public RedisOptions withPort(int newPort) {
        return new RedisOptions(newPort, flush, settings, binaries, timeout);
    }

    public RedisOptions withFlush(Flush newFlush) {
        return new RedisOptions(port, newFlush, settings, binaries, timeout);
    }

    public RedisOptions withSetting(String name, String value) {
        var more = new TreeMap<>(settings);
        more.put(name, value);
        return new RedisOptions(port, flush, more, binaries, timeout);
    }

    /** Unpacks into a folder that several homes can share. */
    public RedisOptions withBinaries(Path folder) {
        return new RedisOptions(port, flush, settings, Optional.of(folder), timeout);
    }

    public RedisOptions withTimeout(Duration newTimeout) {
        return new RedisOptions(port, flush, settings, binaries, newTimeout);
    }

    private static void check(String name, String value) {
        if (!SETTING.matcher(name).matches()) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_NAME,
                    "settings",
                    "\"%s\" is not the name of a Redis setting.".formatted(name));
        }
        if (DECIDED.contains(name)) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "settings",
                    "%s is decided by an option of its own or by the launcher.".formatted(name));
        }
        if (value.chars().anyMatch(c -> Character.isISOControl(c) || c == '"' || c == '\\')) {
            throw new Invalid(
                    Invalid.Code.NOT_PRINTABLE,
                    "settings",
                    "the value of %s contains control characters, quotes or backslashes."
                            .formatted(name));
        }
    }
}
