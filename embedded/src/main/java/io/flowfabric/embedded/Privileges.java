package io.flowfabric.embedded;

import io.flowfabric.core.Unavailable;

import org.jspecify.annotations.Nullable;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;

/**
 * How to run programs that refuse to run as root.
 *
 * <p>In a user namespace of its own a process of root is nobody in particular, while the files that
 * it makes stay root's.
 */
final class Privileges {
    private static final Duration TIMEOUT = Duration.ofSeconds(10);
    private static final List<String> WHO_AM_I = List.of("id", "-u");
    private static final List<String> NAMESPACE = List.of("unshare", "-U");
    private static final String ROOT = "0";

    private Privileges() {}

    /** The words before a command that make it run without privileges; none for ordinary users. */
    static List<String> dropped() throws IOException {
        if (!user(WHO_AM_I).equals(ROOT)) {
            return List.of();
        }
        try {
            var inside = Command.run(concat(NAMESPACE, WHO_AM_I), TIMEOUT);
            if (inside.succeeded() && !inside.output().equals(ROOT)) {
                return NAMESPACE;
            }
            throw refused(inside.output());
        } catch (IOException e) {
            // There is no such program.
            throw refused(e.getMessage());
        }
    }

    static List<String> concat(List<String> first, List<String> second) {
        return Stream.concat(first.stream(), second.stream()).toList();
    }

    private static String user(List<String> words) throws IOException {
        var answer = Command.run(words, TIMEOUT);
        if (!answer.succeeded()) {
            throw new IOException("id -u failed: " + answer.output());
        }
        return answer.output();
    }

    private static Unavailable refused(@Nullable String reason) {
        return new Unavailable(
                ("Postgres refuses to run as root, and this system allows no user namespace to run"
                     + " it in (unshare -U: %s). Run as an ordinary user (USER in a Dockerfile), or"
                     + " connect to a Postgres of your own.")
                        .formatted(reason));
    }
}
