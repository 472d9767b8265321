/** The store on Postgres 15 and later. */
module io.flowfabric.postgres {
    requires transitive io.flowfabric.core;
    requires transitive java.sql;
    requires com.zaxxer.hikari;
    requires org.postgresql.jdbc;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.flowfabric.postgres;

    provides io.flowfabric.core.store.StoreProvider with
            io.flowfabric.postgres.internal.provider.PostgresProvider;
}
