package io.flowfabric.valkey.internal.wire;

import io.flowfabric.core.Advice;
import io.flowfabric.core.StoreFailure;
import io.flowfabric.core.Unavailable;

import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;

/**
 * What a server says of itself, as far as it lets us ask: managed ones forbid some of it.
 *
 * @param name where it is
 * @param information what INFO answers, by name
 * @param appendFsync when what was acknowledged is on the disk: always, everysec or no
 */
public record ServerFacts(
        String name, Map<String, String> information, Optional<String> appendFsync) {
    private static final String APPEND_FSYNC = "appendfsync";

    public ServerFacts {
        information = Map.copyOf(information);
    }

    /** Asks a server. */
    static ServerFacts of(Servers.Primary server, Answers answers) {
        var information = server.commands().info();
        var setting = server.commands().configGet(APPEND_FSYNC);
        Optional<String> text = unlessForbidden(() -> answers.await(() -> information));
        var settings = unlessForbidden(() -> answers.await(() -> setting)).orElse(Map.of());
        return of(server.name(), text.orElse(""), Optional.ofNullable(settings.get(APPEND_FSYNC)));
    }

    /**
     * Reads an answer.
     *
     * @param information lines, each a name, a colon and a value; others are headings
     */
    public static ServerFacts of(String name, String information, Optional<String> appendFsync) {
        return new ServerFacts(
                name,
                information
                        .lines()
                        .filter(line -> !line.startsWith("#") && line.indexOf(':') > 0)
                        .map(line -> line.split(":", 2))
                        .collect(
                                Collectors.toMap(
                                        parts -> parts[0],
                                        parts -> parts[1].strip(),
                                        (first, second) -> first)),
                appendFsync);
    }

    /** Whether it is a node of a cluster. */
    public boolean isCluster() {
        return told("cluster_enabled").equals(Optional.of("1"));
    }

    /** What it says under a name, if it does. */
    public Optional<String> told(String field) {
        return Optional.ofNullable(information.get(field));
    }

    /** Something that a server may not let its users ask. */
    private interface Question<T> {
        T ask();
    }

    private static <T> Optional<T> unlessForbidden(Question<T> question) {
        try {
            return Optional.of(question.ask());
        } catch (Unavailable forbidden) {
            return Optional.empty();
        } catch (StoreFailure unknown) {
            if (unknown.advice() == Advice.CALL_AN_OPERATOR) {
                // A service that took the command away calls it unknown.
                return Optional.empty();
            }
            throw unknown;
        }
    }
}
