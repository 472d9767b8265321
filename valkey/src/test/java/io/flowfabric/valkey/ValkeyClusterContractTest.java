package io.flowfabric.valkey;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

/** The contract, on a cluster of three. */
class ValkeyClusterContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return ValkeyFixture.onCluster();
    }
}
