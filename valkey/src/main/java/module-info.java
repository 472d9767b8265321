/** The store on Valkey 7.2 and Redis 7.0 and later. */
module io.flowfabric.valkey {
    requires transitive io.flowfabric.core;
    requires io.netty.common;
    requires io.netty.transport;
    requires lettuce.core;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.flowfabric.valkey;

    provides io.flowfabric.core.store.StoreProvider with
            io.flowfabric.valkey.internal.provider.ValkeyProvider;
}
