/** A fabric in memory whose time is skipped, for tests of programs. */
module io.flowfabric.testing {
    requires transitive io.flowfabric;
    requires transitive io.flowfabric.core;
    requires io.flowfabric.engine;
    requires io.flowfabric.testkit;
    requires static transitive org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports io.flowfabric.testing;
}
