package io.flowfabric.postgres;

import io.flowfabric.core.Payload;

import java.sql.Connection;

/** What a step does to tables of the program, in the transaction in which it is recorded. */
@FunctionalInterface
public interface TransactionBody {
    /**
     * Does the step.
     *
     * @param connection with an open transaction, which ends with the step: it cannot be committed
     *     or rolled back here, and closing it does nothing
     * @return the content of the step, given to every later lease of the execution
     */
    Payload run(Connection connection) throws Exception;
}
