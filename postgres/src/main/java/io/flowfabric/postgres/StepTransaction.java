package io.flowfabric.postgres;

import io.flowfabric.core.Fence;
import io.flowfabric.core.lease.Checkpoint;
import io.flowfabric.core.lease.Step;
import io.flowfabric.postgres.internal.DatabaseIdentity;
import io.flowfabric.postgres.internal.PostgresContext;
import io.flowfabric.postgres.internal.catalog.RowCodec;
import io.flowfabric.postgres.internal.lease.StepWriter;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Optional;
import java.util.Set;

/** A step and what it does to tables of the program, in one commit. */
final class StepTransaction {
    /** What would end the transaction before the step is recorded. */
    private static final Set<String> ENDS = Set.of("commit", "setAutoCommit", "abort");

    private final PostgresContext postgres;
    private final DatabaseIdentity home;

    StepTransaction(PostgresContext postgres, DatabaseIdentity home) {
        this.postgres = postgres;
        this.home = home;
    }

    Step run(Fence fence, String name, TransactionBody body) throws Exception {
        var recorded = recorded(fence, name);
        if (recorded.isPresent()) {
            return recorded.get();
        }
        return postgres.db()
                .programTransaction(
                        (connection, tx) -> {
                            var content = body.run(kept(connection));
                            // The last statement: the execution is locked from here to the commit.
                            return new CallerTransaction(postgres.db(), home, connection)
                                    .write(
                                            tx,
                                            InTransaction.held(fence),
                                            () ->
                                                    StepWriter.write(
                                                            postgres,
                                                            tx,
                                                            new Checkpoint(fence, name, content)));
                        });
    }

    private Optional<Step> recorded(Fence fence, String name) {
        return postgres.db()
                .query("step_named")
                .set("id", fence.execution().uuid())
                .set("name", name)
                .optional(RowCodec::step);
    }

    /** The connection, for a program that must not end its transaction. */
    private static Connection kept(Connection connection) {
        return (Connection)
                Proxy.newProxyInstance(
                        Connection.class.getClassLoader(),
                        new Class<?>[] {Connection.class},
                        (proxy, method, arguments) -> {
                            if (method.getName().equals("close")) {
                                return null;
                            }
                            if (ends(method)) {
                                throw new SQLException(
                                        "The transaction of a step ends with the step: return from"
                                            + " its body to commit it, or throw to roll it back.");
                            }
                            try {
                                return method.invoke(connection, arguments);
                            } catch (InvocationTargetException e) {
                                throw e.getTargetException();
                            }
                        });
    }

    /** To roll back to a savepoint ends nothing. */
    private static boolean ends(Method method) {
        return ENDS.contains(method.getName())
                || (method.getName().equals("rollback") && method.getParameterCount() == 0);
    }
}
