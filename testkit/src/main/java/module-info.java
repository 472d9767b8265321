/**
 * The store in memory, and the contract suite that every store must pass.
 *
 * <p>JUnit and AssertJ are needed by the tests that run the suite alone.
 */
module io.flowfabric.testkit {
    requires transitive io.flowfabric.core;
    requires static transitive org.assertj.core;
    requires static transitive org.jspecify;
    requires static transitive org.junit.jupiter.api;

    exports io.flowfabric.testkit;
    exports io.flowfabric.testkit.contract;
    exports io.flowfabric.testkit.fault;
    exports io.flowfabric.testkit.harness;
    exports io.flowfabric.testkit.history;
    exports io.flowfabric.testkit.memory;

    opens io.flowfabric.testkit.contract;
}
