package io.flowfabric.cli.dev;

import static org.assertj.core.api.Assertions.assertThat;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.flowfabric.core.PublicState;
import io.flowfabric.core.query.ExecutionView;
import io.flowfabric.core.store.Store;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisCredentials;
import io.lettuce.core.RedisCredentialsProvider;
import io.lettuce.core.RedisURI;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisCommands;

import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/** The real program on a Redis, run once; and what can be seen afterwards. */
class DevOnValkeyTest {
    @TempDir static Path folder;

    private static Path home = Path.of("");
    private static DevProgram once = DevProgram.NOT_RUN;

    @BeforeAll
    static void run_it_once() throws Exception {
        home = folder.resolve("home");
        once = DevProgram.run("--once", "--store", "valkey", "--home", home.toString());
    }

    @Test
    void every_fate_comes_out_as_it_should() {
        once.mustBeGood();
        assertThat(once.printed())
                .contains("A Redis is set up in " + home)
                .contains("Redis serves at 127.0.0.1:")
                .contains("The data stays in " + home)
                .doesNotContain("Postgres");
    }

    @Test
    void what_it_suggests_to_ask_can_be_asked() {
        try (var server = DevStore.VALKEY.start(home);
                var store = open(server);
                var client = client(server)) {
            var redis = client.connect().sync();
            var questions = DevRedis.questions();

            assertThat(counted(redis, questions.getFirst().command()))
                    .containsExactlyInAnyOrderElementsOf(expected());
            var claimable = questions.get(1).command().split(" ", -1);
            assertThat(claimable[0]).isEqualTo("zcard");
            assertThat(redis.zcard(claimable[1])).isZero();
            var told = questions.get(2).command().split(" ", -1);
            assertThat(told[0]).isEqualTo("hlen");
            assertThat(redis.hlen(told[1])).isGreaterThan(Fate.values().length);
            var keys = questions.get(3).command().split(" ", -1);
            assertThat(keys[0]).isEqualTo("keys");
            assertThat(redis.keys(keys[1])).contains(told[1]);

            var example = Check.of(store.queries(), once.tag()).takenOver().map(ExecutionView::id);
            assertThat(server.directions(home, once.tag(), example))
                    .contains("    " + questions.getFirst().command())
                    .anyMatch(line -> line.contains("redis-cli -h 127.0.0.1 -p " + server.port()))
                    .noneMatch(line -> line.contains(server.login().password()));
        }
    }

    @Test
    void a_home_that_is_in_use_is_refused_in_one_sentence() throws Exception {
        try (var server = DevStore.VALKEY.start(home)) {
            var second = DevProgram.run("--store", "valkey", "--home", home.toString());

            assertThat(second.code()).isEqualTo(1);
            assertThat(second.printed())
                    .contains("is owned by process " + ProcessHandle.current().pid())
                    .contains(server.login().url())
                    .doesNotContain("\tat ");
        }
    }

    private static List<String> expected() {
        return Stream.of(PublicState.values())
                .filter(PublicState::terminal)
                .map(
                        end ->
                                Stream.of(Fate.values())
                                                .filter(fate -> fate.end() == end)
                                                .mapToInt(Fate::count)
                                                .sum()
                                        + " "
                                        + end.wire())
                .filter(line -> !line.startsWith("0 "))
                .toList();
    }

    /** What a client for the terminal would do with the line. */
    private static List<String> counted(RedisCommands<String, String> redis, String line) {
        var parts = line.split("\"");
        assertThat(parts).hasSize(3);
        assertThat(parts[0]).isEqualTo("eval_ro ");
        var key = parts[2].strip().split(" ", -1)[1];
        return redis.evalReadOnly(
                parts[1].getBytes(UTF_8), ScriptOutputType.MULTI, new String[] {key});
    }

    private static Store open(DevServer server) {
        return DevStore.VALKEY.open(server.login(), "a test", 1);
    }

    private static RedisClient client(DevServer server) {
        var address = RedisURI.create("127.0.0.1", server.port());
        var login = RedisCredentials.just(null, server.login().password().toCharArray());
        address.setCredentialsProvider(RedisCredentialsProvider.from(() -> login));
        return RedisClient.create(address);
    }
}
