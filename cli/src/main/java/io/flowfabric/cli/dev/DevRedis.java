package io.flowfabric.cli.dev;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Partition;
import io.flowfabric.core.state.Situation;
import io.flowfabric.embedded.EmbeddedRedis;

import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A Redis, and commands for those who want to look for themselves. */
final class DevRedis implements DevServer {
    /** The keys of the namespace that runs are in. */
    private static final String KEY = "flowfabric:" + Partition.of(Namespace.DEFAULT) + ":";

    private final EmbeddedRedis server;

    /**
     * What can be asked.
     *
     * @param about what the answer is, in words
     */
    record Question(String about, String command) {}

    DevRedis(Path home) {
        this.server = EmbeddedRedis.start(home);
    }

    @Override
    public int port() {
        return server.port(0);
    }

    /** With the password of the default user, which has no name. */
    @Override
    public StoreLogin login() {
        return new StoreLogin(server.url(), "", server.password());
    }

    @Override
    public List<String> directions(Path home, String run, Optional<ExecutionId> example) {
        var lines = new ArrayList<String>();
        lines.add("The data is yours to look at:");
        lines.add("");
        lines.add("  " + client(home));
        lines.add("");
        lines.add("There, for example:");
        for (var question : questions()) {
            lines.add("");
            lines.add("  " + question.about() + ":");
            lines.add("    " + question.command());
        }
        lines.add("");
        lines.add("Records are packed (MessagePack); a program reads them through the store.");
        lines.add("Without redis-cli, any client for Redis or Valkey will do:");
        lines.add("  " + server.url());
        lines.add("  no user, and the password in " + home.resolve("password"));
        return lines;
    }

    /** Connects without asking for the password, and without showing it. */
    private String client(Path home) {
        return "REDISCLI_AUTH=$(cat %s) redis-cli -h 127.0.0.1 -p %d"
                .formatted(ShellWord.of(home.resolve("password")), port());
    }

    /** What is worth asking, as commands. */
    static List<Question> questions() {
        return List.of(
                new Question(
                        "what became of the executions of all runs",
                        "eval_ro \"%s\" 1 %sexecution".formatted(counting(), KEY)),
                new Question("how many of them can be claimed", "zcard " + KEY + "ready"),
                new Question("how many calls the log tells of", "hlen " + KEY + "log"),
                new Question("where everything is", "keys " + KEY + "*"));
    }

    /** Counts by the second byte of a record, which is the number of a situation. */
    private static String counting() {
        var words =
                Stream.of(Situation.values())
                        .map(situation -> "'" + situation.name().toLowerCase(Locale.ROOT) + "'")
                        .collect(Collectors.joining(","));
        return "local words, counts, lines = {%s}, {}, {} "
                .formatted(words)
                .concat("for _, record in ipairs(redis.call('hvals', KEYS[1])) do ")
                .concat("local word = words[string.byte(record, 2) + 1] ")
                .concat("counts[word] = (counts[word] or 0) + 1 end ")
                .concat("for word, count in pairs(counts) do ")
                .concat("lines[#lines + 1] = count .. ' ' .. word end return lines");
    }

    @Override
    public void close() {
        server.close();
    }
}
