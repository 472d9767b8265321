package io.flowfabric.postgres;

import io.flowfabric.core.ExecutionId;
import io.flowfabric.core.Fence;
import io.flowfabric.core.Payload;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.submit.Submission;

import java.sql.Connection;
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
                            .lane("billing")
                            .key("invoice-" + order);
            var submitted = store.in(connection).submit(invoice);
            connection.commit(); // both are there now, and a worker is woken
            return submitted.id();
        }
    }

    // PAGE]

    // [PAGE
    /** In a handler, with the fence of its lease. */
    Payload payInvoice(Fence fence, UUID order) throws Exception {
        var paid =
                store.transaction(
                        fence,
                        "pay",
                        connection -> {
                            var sql = "insert into payments values (?)";
                            try (var insert = connection.prepareStatement(sql)) {
                                insert.setObject(1, order);
                                insert.execute();
                            }
                            return Payload.text("paid " + order);
                        });
        return paid.content();
    }

    // PAGE]

    // [PAGE
    /** The same in a transaction that your own code opens and commits. */
    void payInvoice(Fence fence, UUID order, Connection connection) throws SQLException {
        try (var insert = connection.prepareStatement("insert into payments values (?)")) {
            insert.setObject(1, order);
            insert.execute();
        }
        var paid = Payload.text("paid " + order);
        store.in(connection).checkpoint(new Checkpoint(fence, "pay", paid)); // last of all
        connection.commit();
    }
    // PAGE]
}
