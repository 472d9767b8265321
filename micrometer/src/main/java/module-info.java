/** What an engine counts, as meters of Micrometer. */
module io.flowfabric.micrometer {
    requires transitive io.flowfabric.engine;
    requires transitive micrometer.core;
    requires transitive micrometer.observation;
    requires static transitive io.flowfabric;
    requires static transitive org.jspecify;

    exports io.flowfabric.micrometer;
}
