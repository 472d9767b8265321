package io.flowfabric.valkey;

import io.flowfabric.core.Invalid;
import io.flowfabric.valkey.internal.wire.ServerAddress;

import org.jspecify.annotations.Nullable;

import java.time.Duration;
import java.util.regex.Pattern;

/**
 * How to reach a Valkey or a Redis, and how long to wait for it.
 *
 * @param url {@code redis://host:port/database}, or {@code valkey://}, or {@code rediss://} and
 *     {@code valkeys://} for TLS; several hosts, with commas between them, are nodes of one cluster
 * @param user null when the URL says it, or it is the default user
 * @param password null when the URL says it, or there is none
 * @param prefix what all keys begin with, so that others can use the same server
 * @param callTimeout after which a silent server is given up
 * @param connectTimeout how long a new connection may take
 * @param replicas how many replicas must have what a call wrote before it is answered; 0 for none,
 *     which costs nothing
 * @param replicaTimeout after which they are given up, shorter than {@code callTimeout}
 */
public record ValkeyOptions(
        String url,
        @Nullable String user,
        @Nullable String password,
        String prefix,
        Duration callTimeout,
        Duration connectTimeout,
        int replicas,
        Duration replicaTimeout) {
    private static final int MOST_REPLICAS = 100;
    private static final Pattern PREFIX = Pattern.compile("[A-Za-z0-9_.:-]{1,64}");
    private static final Duration SHORTEST = Duration.ofMillis(100);
    private static final Duration LONGEST = Duration.ofHours(1);

    public ValkeyOptions {
        ServerAddress.parse(url);
        if (!PREFIX.matcher(prefix).matches()) {
            throw new Invalid(
                    Invalid.Code.MALFORMED_NAME,
                    "prefix",
                    "'%s' is not made of 1 to 64 letters, digits and any of _ . : -"
                            .formatted(prefix));
        }
        duration("call timeout", callTimeout);
        duration("connect timeout", connectTimeout);
        duration("replica timeout", replicaTimeout);
        if (replicas < 0 || replicas > MOST_REPLICAS) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    "replicas",
                    "%d is outside of 0 to %d.".formatted(replicas, MOST_REPLICAS));
        }
        if (replicas > 0 && replicaTimeout.compareTo(callTimeout) >= 0) {
            throw new Invalid(
                    Invalid.Code.CONTRADICTORY,
                    "replica timeout",
                    "%s is not shorter than the call timeout of %s."
                            .formatted(replicaTimeout, callTimeout));
        }
    }

    /** The defaults for a server or a cluster. */
    public static ValkeyOptions of(String url) {
        return new ValkeyOptions(
                url,
                null,
                null,
                "flowfabric:",
                Duration.ofSeconds(10),
                Duration.ofSeconds(5),
                0,
                Duration.ofSeconds(1));
    }

    /** These options with a user; null for the one that the URL says. */
    public ValkeyOptions withUser(@Nullable String other) {
        return new ValkeyOptions(
                url,
                other,
                password,
                prefix,
                callTimeout,
                connectTimeout,
                replicas,
                replicaTimeout);
    }

    /** These options with a password; null for the one that the URL says. */
    public ValkeyOptions withPassword(@Nullable String other) {
        return new ValkeyOptions(
                url, user, other, prefix, callTimeout, connectTimeout, replicas, replicaTimeout);
    }

    /** These options with another beginning of all keys. */
    public ValkeyOptions withPrefix(String other) {
        return new ValkeyOptions(
                url, user, password, other, callTimeout, connectTimeout, replicas, replicaTimeout);
    }

    /** These options with another time after which a silent server is given up. */
    public ValkeyOptions withCallTimeout(Duration other) {
        return new ValkeyOptions(
                url, user, password, prefix, other, connectTimeout, replicas, replicaTimeout);
    }

    /** These options with another longest time for a new connection. */
    public ValkeyOptions withConnectTimeout(Duration other) {
        return new ValkeyOptions(
                url, user, password, prefix, callTimeout, other, replicas, replicaTimeout);
    }

    /**
     * These options with replicas that must have what a call wrote before it is answered, so that
     * one of them can take over without a loss. A call for which too few are in time fails, and may
     * have been applied.
     *
     * @param acknowledged how many of them, for each primary
     */
    public ValkeyOptions withReplicas(int acknowledged, Duration timeout) {
        return new ValkeyOptions(
                url, user, password, prefix, callTimeout, connectTimeout, acknowledged, timeout);
    }

    /** Without the password, also where the URL has it. */
    @Override
    public String toString() {
        return "%s as %s, keys %s*".formatted(ServerAddress.parse(url), user, prefix);
    }

    private static void duration(String field, Duration value) {
        if (value.compareTo(SHORTEST) < 0 || value.compareTo(LONGEST) > 0) {
            throw new Invalid(
                    Invalid.Code.OUT_OF_RANGE,
                    field,
                    "%s is outside of %s to %s.".formatted(value, SHORTEST, LONGEST));
        }
    }
}
