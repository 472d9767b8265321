package io.flowfabric.testkit.contract;

import io.flowfabric.testkit.StoreFixture;
import io.flowfabric.testkit.memory.MemoryFixture;

class MemoryContractTest extends StoreContract {
    @Override
    protected StoreFixture open() {
        return new MemoryFixture();
    }
}
