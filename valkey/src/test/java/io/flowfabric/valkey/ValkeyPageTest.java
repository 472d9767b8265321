package io.flowfabric.valkey;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Lane;
import io.flowfabric.core.Namespace;
import io.flowfabric.core.Payload;
import io.flowfabric.core.Unavailable;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.embedded.RedisOptions;
import io.flowfabric.testkit.PageExample;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;

/** What docs/valkey.md says: its code runs, and the rights that it lists are enough. */
class ValkeyPageTest {
    private static final Path PAGE = Path.of("../docs/valkey.md");
    private static final RedisOptions OPTIONS =
            RedisOptions.DEFAULT.withBinaries(ServersAtStartTest.BINARIES);

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/valkey/ValkeyExample.java");

        assertThat(PageExample.shown(PAGE)).isNotEmpty().isEqualTo(PageExample.compiled(source));
        assertThat(ValkeyExample.copied("redis://localhost").replicas()).isEqualTo(1);
    }

    @Test
    void the_rights_on_the_page_are_enough_for_one_server(@TempDir Path home) throws IOException {
        try (var server = EmbeddedRedis.start(home.resolve("one"), OPTIONS)) {
            try (var store = ValkeyExample.open(server.url(), server.password())) {
                ValkeyExample.spread(store);
                works(store, "telemetry");
                works(store, "anything");
            }
            grant(server, 0, found("```\n(ACL SETUSER [^`]+)```"));
            try (var store = ValkeyStore.open(options(server))) {
                works(store, "anything");
                works(store, "something");
            }
            assertThatThrownBy(() -> ValkeyStore.open(options(server).withPrefix("others:")))
                    .isInstanceOf(Unavailable.class)
                    .hasMessageContaining("Grant the user the commands of docs/valkey.md");
        }
    }

    @Test
    void the_rights_on_the_page_are_enough_for_a_cluster(@TempDir Path home) throws IOException {
        try (var cluster = EmbeddedRedis.startCluster(home.resolve("cluster"), 3, 0, OPTIONS)) {
            var rights =
                    found("```\n(ACL SETUSER [^`]+)```") + " " + found("For a cluster add `(.+?)`");
            for (int node = 0; node < cluster.nodes(); node++) {
                grant(cluster, node, rights);
            }
            try (var store = ValkeyStore.open(options(cluster))) {
                for (int i = 0; i < 12; i++) {
                    works(store, "tenant-" + i);
                }
            }
        }
    }

    private static String found(String pattern) throws IOException {
        var page = Pattern.compile(pattern).matcher(Files.readString(PAGE));
        assertThat(page.find()).as(pattern).isTrue();
        return page.group(1);
    }

    /** What a client for the terminal would do with the line. */
    private static void grant(EmbeddedRedis server, int node, String line) {
        var arguments = new CommandArgs<>(StringCodec.UTF8);
        var words = List.of(line.strip().split("\\s+"));
        words.subList(1, words.size()).forEach(arguments::add);
        try (var client = ServersAtStartTest.client(server, node)) {
            assertThat(
                            client.connect()
                                    .sync()
                                    .dispatch(
                                            CommandType.ACL,
                                            new StatusOutput<>(StringCodec.UTF8),
                                            arguments))
                    .isEqualTo("OK");
        }
    }

    private static ValkeyOptions options(EmbeddedRedis server) {
        return ValkeyOptions.of(server.url())
                .withUser("flowfabric")
                .withPassword("secret")
                .withPrefix("jobs:");
    }

    private static void works(ValkeyStore store, String namespace) {
        var lane = new Lane(new Namespace(namespace), "default");
        var one = Submission.of("greet", Payload.text("Ada")).lane(lane);
        store.submissions().submit(List.of(one)).getFirst().orThrow();

        assertThat(store.queries().describe(List.of(one.id())).getFirst().orThrow().id())
                .isEqualTo(one.id());
    }
}
