package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.Invalid;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * Where servers are, as a URL says it.
 *
 * @param hosts one, or some nodes of a cluster
 * @param tls whether what is sent is encrypted
 * @param user the user, if it names one
 * @param password the password, if it names one
 * @param database which of the numbered databases of one server; a cluster has only the first
 */
public record ServerAddress(
        List<Host> hosts,
        boolean tls,
        Optional<String> user,
        Optional<String> password,
        int database) {
    private static final int DEFAULT_PORT = 6379;
    private static final int LAST_PORT = 65_535;
    private static final int LAST_DATABASE = 65_535;
    private static final Pattern URL =
            Pattern.compile(
                    "(redis|rediss|valkey|valkeys)://(?:([^@/?#]*)@)?([^/@?#]+)(?:/([0-9]*))?");
    private static final Pattern HOST =
            Pattern.compile("(\\[[0-9a-fA-F:.]+]|[^:\\[\\]]+)(?::([0-9]{1,5}))?");

    /** Whether a URL is one of these servers. */
    public static boolean isOne(String url) {
        return url.startsWith("redis://")
                || url.startsWith("rediss://")
                || url.startsWith("valkey://")
                || url.startsWith("valkeys://");
    }

    /** A node. */
    public record Host(String name, int port) {
        @Override
        public String toString() {
            return name + ":" + port;
        }
    }

    /**
     * Reads a URL.
     *
     * @throws Invalid when it is none of these
     */
    public static ServerAddress parse(String url) {
        var parts = URL.matcher(url);
        if (!parts.matches()) {
            throw malformed();
        }
        var hosts = Stream.of(parts.group(3).split(",", -1)).map(ServerAddress::host).toList();
        int database =
                parts.group(4) == null || parts.group(4).isEmpty()
                        ? 0
                        : number(parts.group(4), LAST_DATABASE);
        if (hosts.size() > 1 && database != 0) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "url",
                    "A cluster has no numbered databases: leave the %d out.".formatted(database));
        }
        // What is written with percent signs may be a colon: it is cut first.
        var login = Optional.ofNullable(parts.group(2));
        return new ServerAddress(
                hosts,
                parts.group(1).endsWith("s") && !parts.group(1).equals("redis"),
                login.map(both -> both.split(":", 2)[0]).flatMap(ServerAddress::decoded),
                login.filter(both -> both.contains(":"))
                        .map(both -> both.split(":", 2)[1])
                        .flatMap(ServerAddress::decoded),
                database);
    }

    private static Host host(String text) {
        var parts = HOST.matcher(text);
        if (!parts.matches()) {
            throw malformed();
        }
        return new Host(
                parts.group(1),
                parts.group(2) == null ? DEFAULT_PORT : number(parts.group(2), LAST_PORT));
    }

    private static int number(String digits, int most) {
        int number = digits.length() > 5 ? most + 1 : Integer.parseInt(digits);
        if (number > most) {
            throw malformed();
        }
        return number;
    }

    /** What was written with percent signs because a URL could not hold it otherwise. */
    private static Optional<String> decoded(String text) {
        if (text.isEmpty()) {
            return Optional.empty();
        }
        try {
            return Optional.of(new URI("x://" + text + "@h").getUserInfo());
        } catch (URISyntaxException e) {
            throw malformed();
        }
    }

    private static Invalid malformed() {
        return new Invalid(
                Invalid.Code.MALFORMED_URL,
                "url",
                "It must look like redis://localhost:6379 or valkey://user:password@host:6379/0,"
                        + " with rediss:// or valkeys:// for TLS and host:port,host:port for a"
                        + " cluster.");
    }

    /** Without the login. */
    @Override
    public String toString() {
        return hosts.stream()
                .map(Host::toString)
                .collect(
                        Collectors.joining(
                                ",",
                                tls ? "rediss://" : "redis://",
                                database == 0 ? "" : "/" + database));
    }
}
