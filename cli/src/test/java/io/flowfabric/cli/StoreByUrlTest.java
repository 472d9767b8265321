package io.flowfabric.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.flowfabric.core.Invalid;
import io.flowfabric.core.Payload;
import io.flowfabric.core.PublicState;
import io.flowfabric.core.store.Store;
import io.flowfabric.core.store.Stores;
import io.flowfabric.core.submit.Submission;
import io.flowfabric.embedded.EmbeddedPostgres;
import io.flowfabric.embedded.EmbeddedRedis;
import io.flowfabric.postgres.PostgresStore;
import io.flowfabric.testkit.PageExample;
import io.flowfabric.valkey.ValkeyStore;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;

/** Where all stores are on the class path, the URL chooses. */
class StoreByUrlTest {
    @Test
    void the_url_of_a_postgres_opens_the_store_on_postgres(@TempDir Path home) {
        try (var server = EmbeddedPostgres.start(home.resolve("home"))) {
            var login = server.user() + ":" + server.password();
            var place = "127.0.0.1:%d/postgres".formatted(server.port());
            try (var store = ChoosingExample.open(server.url(), server.user(), server.password())) {
                assertThat(store).isInstanceOf(PostgresStore.class);
                works(store);
            }
            try (var store = Stores.open("postgres://%s@%s".formatted(login, place))) {
                assertThat(store).isInstanceOf(PostgresStore.class);
            }
            // What is said beside the URL counts.
            try (var store =
                    Stores.open(
                            "postgresql://nobody:wrong@%s?sslmode=disable".formatted(place),
                            server.user(),
                            server.password())) {
                assertThat(store).isInstanceOf(PostgresStore.class);
            }
        }
    }

    @Test
    void the_url_of_a_redis_opens_the_store_on_valkey(@TempDir Path home) {
        try (var server = EmbeddedRedis.start(home.resolve("home"))) {
            var place = "127.0.0.1:%d".formatted(server.port(0));
            try (var store = Stores.open(server.url(), null, server.password())) {
                assertThat(store).isInstanceOf(ValkeyStore.class);
                works(store);
            }
            for (var scheme : List.of("redis", "valkey")) {
                var url = "%s://default:%s@%s/2".formatted(scheme, server.password(), place);
                try (var store = Stores.open(url)) {
                    assertThat(store).isInstanceOf(ValkeyStore.class);
                }
            }
        }
    }

    @Test
    void any_other_url_is_told_what_there_is() {
        assertThatThrownBy(() -> Stores.open("mysql://root:secret@127.0.0.1/shop"))
                .isInstanceOf(Invalid.class)
                .hasMessageContaining(
                        "On the class path: jdbc:postgresql:, postgres:, postgresql:, redis:,"
                                + " rediss:, valkey:, valkeys:.")
                .hasMessageNotContaining("secret");
    }

    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/cli/ChoosingExample.java");

        assertThat(PageExample.shown(Path.of("../docs/choosing-a-store.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
    }

    private static void works(Store store) {
        var one = Submission.of("greet", Payload.text("Ada"));
        store.submissions().submit(List.of(one)).forEach(answer -> answer.orThrow());

        var found = store.queries().describe(List.of(one.id())).getFirst().orThrow();
        assertThat(found.state().publicState()).isEqualTo(PublicState.WAITING);
    }
}
