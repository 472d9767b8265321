package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.Lane;

import org.junit.jupiter.api.Test;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.UUID;
import java.util.stream.Collectors;

class EnqueuePageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws Exception {
        var source =
                Files.readString(
                        Path.of("src/test/java/io/flowfabric/postgres/EnqueueExample.java"));
        var shown =
                source.lines()
                        .dropWhile(line -> !line.strip().equals("// [PAGE"))
                        .skip(1)
                        .takeWhile(line -> !line.strip().equals("// PAGE]"))
                        .collect(Collectors.joining("\n"))
                        .stripIndent();

        assertThat(Files.readString(Path.of("../docs/enqueue.md"))).contains(shown);
    }

    @Test
    void the_code_on_the_page_runs_on_the_connections_of_a_pool() throws Exception {
        try (var shop = new Shop();
                var pool = pool(shop)) {
            var example = new EnqueueExample(pool, shop.store());
            var order = UUID.randomUUID();

            var invoice = example.placeOrder(order);

            assertThat(shop.claim(Lane.of("billing"))).containsExactly(invoice);
            // The pool rolls back what was not committed, and the work with it.
            assertThatExceptionOfType(SQLException.class)
                    .isThrownBy(() -> example.placeOrder(order));
            assertThat(shop.claim(Lane.of("billing"))).isEmpty();
        }
    }

    private static HikariDataSource pool(Shop shop) {
        var options = TestPostgres.options();
        var config = new HikariConfig();
        config.setJdbcUrl(options.url());
        config.setUsername(options.user());
        config.setPassword(options.password());
        config.setMaximumPoolSize(2);
        // The application lives in a schema of its own; the store's is not on its path.
        config.setSchema(shop.app());
        return new HikariDataSource(config);
    }
}
