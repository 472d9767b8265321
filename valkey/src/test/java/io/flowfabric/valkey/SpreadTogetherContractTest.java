package io.flowfabric.valkey;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

/**
 * The contract in namespaces that are spread over three partitions, with all work in one of them
 * that is not the main one: within a partition order holds, too.
 */
class SpreadTogetherContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return ValkeyFixture.together(TestRedis.cluster());
    }
}
