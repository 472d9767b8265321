package io.flowfabric.examples;

import static io.flowfabric.examples.Story.claim;

import io.flowfabric.FlowFabric;
import io.flowfabric.Kind;
import io.flowfabric.Work;
import io.flowfabric.WorkHandle;

import java.io.PrintStream;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.UUID;

/** An order and the work that it takes are in one transaction: both are there, or neither is. */
final class OrdersInTransaction {
    private static final Duration A_MINUTE = Duration.ofMinutes(1);

    private static final Kind<UUID, String> INVOICE =
            Kind.of("invoice", UUID.class, String.class).lane("billing");

    private OrdersInTransaction() {}

    static void run(FlowFabric fabric, DatabaseLogin database, PrintStream out) throws Exception {
        try (var connection = database.connection();
                var create = connection.createStatement()) {
            create.execute(
                    "create table if not exists example_order (id uuid primary key, item text)");
        }
        var worker =
                fabric.worker("billing")
                        .on(INVOICE, (task, order) -> "invoice for " + item(database, order))
                        .start();

        var tea = UUID.randomUUID();
        out.println("an order for tea and its invoice are written in one transaction");
        WorkHandle<String> invoice;
        try (var connection = database.connection()) {
            connection.setAutoCommit(false);
            insert(connection, tea, "tea");
            invoice = fabric.submit(connection, invoiceFor(tea));
            claim(out, found(fabric, tea) == 0, "before the commit the work is not there");
            connection.commit();
            out.println("commit");
        }
        var said = invoice.await(A_MINUTE);
        claim(out, said.equals("invoice for tea"), "after it a worker wrote the " + said);

        var wine = UUID.randomUUID();
        out.println("an order for wine and its invoice are written, and then rolled back");
        try (var connection = database.connection()) {
            connection.setAutoCommit(false);
            insert(connection, wine, "wine");
            fabric.submit(connection, invoiceFor(wine));
            connection.rollback();
            out.println("rollback");
        }
        claim(out, item(database, wine).equals("nothing"), "there is no such order");
        claim(out, found(fabric, wine) == 0, "there is no such work, and never was");

        out.println("the customer of the tea clicks again, and the key is the same");
        try (var connection = database.connection()) {
            connection.setAutoCommit(false);
            var again = fabric.submit(connection, invoiceFor(tea));
            connection.commit();
            claim(out, again.id().equals(invoice.id()), "the same work is found");
        }
        claim(out, found(fabric, tea) == 1, "there is one invoice");
        worker.stop();
    }

    private static Work<String> invoiceFor(UUID order) {
        return INVOICE.with(order).key("invoice-" + order).tag("order", order.toString());
    }

    private static long found(FlowFabric fabric, UUID order) {
        return fabric.find(fabric.search().tag("order", order.toString())).count();
    }

    private static void insert(Connection connection, UUID order, String item) throws SQLException {
        try (var insert = connection.prepareStatement("insert into example_order values (?, ?)")) {
            insert.setObject(1, order);
            insert.setString(2, item);
            insert.execute();
        }
    }

    private static String item(DatabaseLogin database, UUID order) throws SQLException {
        try (var connection = database.connection();
                var select =
                        connection.prepareStatement(
                                "select item from example_order where id = ?")) {
            select.setObject(1, order);
            try (var rows = select.executeQuery()) {
                return rows.next() ? rows.getString(1) : "nothing";
            }
        }
    }
}
