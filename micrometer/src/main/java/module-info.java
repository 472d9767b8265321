/** What an engine counts, as meters of Micrometer. */
module io.flowfabric.micrometer {
    requires transitive io.flowfabric.engine;
    requires transitive micrometer.core;
    requires static transitive org.jspecify;

    exports io.flowfabric.micrometer;
}
