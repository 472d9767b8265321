package io.flowfabric.valkey;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

/** The contract, on one node. */
class ValkeyContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return ValkeyFixture.onOneNode();
    }
}
