package io.flowfabric.postgres;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

/** The contract, on Postgres. */
class PostgresContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return new PostgresFixture();
    }
}
