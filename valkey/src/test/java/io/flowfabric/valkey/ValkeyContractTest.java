package io.flowfabric.valkey;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

/** The contract, on Valkey. */
class ValkeyContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return new ValkeyFixture();
    }
}
