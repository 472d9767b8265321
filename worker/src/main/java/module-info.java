/** The worker runtime: handlers on virtual threads, group commit, drain. */
module io.flowfabric.worker {
    requires transitive io.flowfabric.core;
    requires transitive io.flowfabric.engine;
    requires org.slf4j;
    requires static transitive org.jspecify;

    exports io.flowfabric.worker;
}
