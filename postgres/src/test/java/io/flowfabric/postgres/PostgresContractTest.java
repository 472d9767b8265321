package io.flowfabric.postgres;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** The contract, on Postgres. Each rule has a schema to itself, so several run at once. */
@Execution(ExecutionMode.CONCURRENT)
class PostgresContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
