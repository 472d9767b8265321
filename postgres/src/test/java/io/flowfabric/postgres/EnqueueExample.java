package io.flowfabric.postgres;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Lane;
import io.flowfabric.core.Payload;
import io.flowfabric.core.submit.Submission;

import java.sql.SQLException;
import java.util.UUID;

import javax.sql.DataSource;

/** The code that docs/enqueue.md shows; {@link EnqueuePageTest} compares, and runs it. */
final class EnqueueExample {
    private final DataSource dataSource;
    private final PostgresStore store;

    EnqueueExample(DataSource dataSource, PostgresStore store) {
        this.dataSource = dataSource;
        this.store = store;
    }

    // [PAGE
    ExecutionId placeOrder(UUID order) throws SQLException {
        try (var connection = dataSource.getConnection()) {
            connection.setAutoCommit(false);
            try (var insert = connection.prepareStatement("insert into orders values (?)")) {
                insert.setObject(1, order);
                insert.execute();
            }
            var invoice =
                    Submission.of("invoice", Payload.text(order.toString()))
                            .lane(Lane.of("billing"))
                            .key("invoice-" + order);
            var submitted = store.in(connection).submit(invoice);
            connection.commit(); // both are there now, and a worker is woken
            return submitted.id();
        }
    }
    // PAGE]
}
