package io.flowfabric.valkey.internal.wire;

import java.util.Optional;
import java.util.regex.Pattern;

/** Where a node of a cluster says that a key lies. */
record Redirection(String host, int port) {
    /** The slot, and where it is; without a host it is where the answer came from. */
    private static final Pattern ANSWER = Pattern.compile("(?:MOVED|ASK) \\d+ (.+):(\\d{1,5})");

    /** Where a call was led to that was refused for it; nothing when that cannot be told. */
    static Optional<Redirection> of(Unprepared refused) {
        var cause = refused.failure().getCause();
        var said = cause == null ? null : cause.getMessage();
        var parts = ANSWER.matcher(said == null ? "" : said);
        return parts.matches()
                ? Optional.of(new Redirection(parts.group(1), Integer.parseInt(parts.group(2))))
                : Optional.empty();
    }
}
