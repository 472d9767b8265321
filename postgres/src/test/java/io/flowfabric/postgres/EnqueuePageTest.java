package io.flowfabric.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatExceptionOfType;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;

import io.flowfabric.core.Cursor;
import io.flowfabric.core.Lane;
import io.flowfabric.core.lease.Claims.Claim;
import io.flowfabric.core.lease.Session;
import io.flowfabric.testkit.PageExample;

import org.junit.jupiter.api.Test;

import java.io.IOException;
import java.nio.file.Path;
import java.sql.Connection;
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

    @Test
    void a_step_of_the_page_is_done_with_its_row() throws Exception {
        try (var shop = new Shop();
                var pool = pool(shop);
                var store = PostgresStore.open(options(shop), shop.schema());
                var connection = pool.getConnection()) {
            execute(connection, "create table %s.payments (id uuid)".formatted(shop.app()));
            execute(connection, "set search_path to " + shop.app());
            var example = new EnqueueExample(pool, store);
            var order = UUID.randomUUID();
            var invoice = example.placeOrder(order);
            var session = Session.of("cashier", "1", "billing");
            store.sessions().open(session);
            var lease = store.claims().claim(new Claim(session.id(), 1, 1)).leases().getFirst();

            assertThat(example.payInvoice(lease.fence(), order).asText())
                    .isEqualTo("paid " + order);
            example.payInvoice(lease.fence(), order);
            connection.setAutoCommit(false);
            example.payInvoice(lease.fence(), order, connection);

            assertThat(lease.fence().execution()).isEqualTo(invoice);
            var steps = store.queries().steps(invoice, Cursor.START, 10).items();
            assertThat(steps).hasSize(1);
        }
    }

    /** The tables of the application are on the path of the store's connections. */
    private static DatabaseOptions options(Shop shop) {
        var options = TestPostgres.options();
        var url = options.url();
        return options.withUrl(
                        url + (url.contains("?") ? "&" : "?") + "currentSchema=" + shop.app())
                .withConnections(2);
    }

    private static void execute(Connection connection, String sql) throws SQLException {
        try (var statement = connection.createStatement()) {
            statement.execute(sql);
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
