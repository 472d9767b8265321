/** The facade that programs hold: submit, typed handlers, durable code, flows. */
module io.flowfabric {
    requires transitive io.flowfabric.core;
    requires transitive io.flowfabric.engine;
    requires transitive io.flowfabric.worker;
    requires transitive io.flowfabric.postgres;
    requires static io.flowfabric.embedded;
    requires org.slf4j;
    requires tools.jackson.databind;
    requires static transitive org.jspecify;

    exports io.flowfabric;
}
