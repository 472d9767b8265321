package io.flowfabric.valkey;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.contract.StoreContract;

/**
 * The contract in namespaces that are spread over three partitions, with each piece of work in
 * another one than the piece before it. Rules about order across partitions do not hold there:
 * {@link RulesWithinPartitions} lists them.
 */
class SpreadApartContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return ValkeyFixture.apart(TestRedis.oneNode());
    }
}
