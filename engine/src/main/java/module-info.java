/** What makes a store a running engine: sweeps, sessions, claims that wait for work. */
module io.flowfabric.engine {
    requires transitive io.flowfabric.core;
    requires com.cronutils;
    requires transitive org.slf4j;
    requires static transitive org.jspecify;

    exports io.flowfabric.engine;
}
