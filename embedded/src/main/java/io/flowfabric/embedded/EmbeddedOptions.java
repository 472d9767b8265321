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
 * How the embedded Postgres runs.
 *
 * @param port where it listens on 127.0.0.1; 0 for a free one
 * @param durable whether a commit survives a power cut; only tests can do without
 * @param settings further settings of the server, as in {@code postgresql.conf}
 * @param binaries where the server is unpacked; empty for the folder that the system property
 *     {@code flowfabric.embedded.binaries} names, or else for one inside the home
 * @param timeout how long starting, stopping and creating may each take
 */
public record EmbeddedOptions(
        int port,
        boolean durable,
        Map<String, String> settings,
        Optional<Path> binaries,
        Duration timeout) {
    private static final int LAST_PORT = 65_535;
    private static final Pattern SETTING = Pattern.compile("[a-z_][a-z0-9_.]*");

    /** Decided by the other options or by the launcher, which relies on them. */
    private static final Set<String> DECIDED =
            Set.of(
                    "port",
                    "listen_addresses",
                    "unix_socket_directories",
                    "data_directory",
                    "hba_file",
                    "logging_collector",
                    "fsync",
                    "synchronous_commit",
                    "full_page_writes");

    /** A free port, durable, nothing special. */
    public static final EmbeddedOptions DEFAULT =
            new EmbeddedOptions(0, true, Map.of(), Optional.empty(), Duration.ofSeconds(60));

    public EmbeddedOptions {
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
        settings.forEach(EmbeddedOptions::check);
    }

    public EmbeddedOptions withPort(int newPort) {
        return new EmbeddedOptions(newPort, durable, settings, binaries, timeout);
    }

    /** Faster, and a power cut or a crash of the machine ruins the data: for tests. */
    public EmbeddedOptions withoutDurability() {
        return new EmbeddedOptions(port, false, settings, binaries, timeout);
    }

    public EmbeddedOptions withSetting(String name, String value) {
        var more = new TreeMap<>(settings);
        more.put(name, value);
        return new EmbeddedOptions(port, durable, more, binaries, timeout);
    }

    /** Unpacks into a folder that several homes can share. */
    public EmbeddedOptions withBinaries(Path folder) {
        return new EmbeddedOptions(port, durable, settings, Optional.of(folder), timeout);
    }

    public EmbeddedOptions withTimeout(Duration newTimeout) {
        return new EmbeddedOptions(port, durable, settings, binaries, newTimeout);
    }

    private static void check(String name, String value) {
        if (!SETTING.matcher(name).matches()) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_NAME,
                    "settings",
                    "\"%s\" is not the name of a Postgres setting.".formatted(name));
        }
        if (DECIDED.contains(name)) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "settings",
                    "%s is decided by an option of its own or by the launcher.".formatted(name));
        }
        if (value.chars().anyMatch(Character::isISOControl)) {
            throw new Invalid(
                    Invalid.Code.NOT_PRINTABLE,
                    "settings",
                    "the value of %s contains control characters.".formatted(name));
        }
    }
}
