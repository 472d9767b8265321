package io.flowfabric.valkey.internal;

import io.flowfabric.core.Partition;
import io.flowfabric.valkey.internal.ValkeyContext.Told;
import io.flowfabric.valkey.internal.wire.Packer;

import java.util.function.Consumer;

/** A way to call functions: in the row of all calls, or beside it. */
interface FunctionCalls {
    /**
     * Calls a function that leaves nothing in a partition that anything would have to look after,
     * or nothing but what is known to be looked after.
     */
    Told leave(String function, Partition partition, Consumer<Packer> request);

    /** Calls a function that only reads. */
    Told read(String function, Partition partition, Consumer<Packer> request);
}
