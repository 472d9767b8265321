package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.Lane;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.UUID;

class EnqueuePageTest {
    @Test
    void the_code_on_the_page_is_code_that_is_compiled() throws IOException {
        var source = Path.of("src/test/java/io/flowfabric/postgres/EnqueueExample.java");

        assertThat(PageExample.shown(Path.of("../docs/enqueue.md")))
                .isNotEmpty()
                .isEqualTo(PageExample.compiled(source));
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
