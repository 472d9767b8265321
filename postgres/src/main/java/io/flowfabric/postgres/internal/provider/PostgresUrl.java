package io.flowfabric.postgres.internal.provider;

import io.flowfabric.core.Invalid;

import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * A URL of a Postgres as other programs write it, {@code postgres://user:password@host:port/name},
 * in the parts that JDBC wants apart. One of JDBC is taken as it is.
 *
 * @param jdbc without the login
 * @param login user and password as the URL says them
 */
record PostgresUrl(String jdbc, Optional<String> login) {
    private static final String JDBC = "jdbc:postgresql:";
    private static final Pattern URL =
            Pattern.compile("postgres(?:ql)?://(?:([^@/?]*)@)?([^@/?]+)((?:/[^?]*)?)((?:\\?.*)?)");

    /**
     * Reads a URL.
     *
     * @throws Invalid when it is none of a Postgres
     */
    static PostgresUrl parse(String url) {
        if (url.startsWith(JDBC)) {
            return new PostgresUrl(url, Optional.empty());
        }
        var parts = URL.matcher(url);
        if (!parts.matches()) {
            throw malformed();
        }
        // Without a name JDBC takes the rest for a part of the host.
        var name = parts.group(3).isEmpty() ? "/" : parts.group(3);
        return new PostgresUrl(
                JDBC + "//" + parts.group(2) + name + parts.group(4),
                Optional.ofNullable(parts.group(1)).map(PostgresUrl::checked));
    }

    /** The user that the URL names, if it does. */
    Optional<String> user() {
        return login.map(both -> decoded(both.split(":", 2)[0])).filter(user -> !user.isEmpty());
    }

    /** The password that the URL names, if it does. */
    Optional<String> password() {
        return login.filter(both -> both.indexOf(':') >= 0)
                .map(both -> decoded(both.split(":", 2)[1]));
    }

    private static String checked(String login) {
        var unused = decoded(login);
        return login;
    }

    /** What was written with percent signs because a URL could not hold it otherwise. */
    private static String decoded(String text) {
        try {
            return text.isEmpty() ? text : new URI("x://" + text + "@h").getUserInfo();
        } catch (URISyntaxException e) {
            throw malformed();
        }
    }

    private static Invalid malformed() {
        return new Invalid(
                Invalid.Code.MALFORMED_URL,
                "url",
                "it must look like postgres://user:password@host:5432/database or"
                        + " jdbc:postgresql://host:5432/database.");
    }

    /** Without the login. */
    @Override
    public String toString() {
        return jdbc;
    }
}
