/**
 * The model and the contract that every store keeps: ids, state and transitions, policies and what
 * they imply, requests, results, errors, limits.
 */
module io.flowfabric.core {
    requires static transitive org.jspecify;

    exports io.flowfabric.core;
    exports io.flowfabric.core.admission;
    exports io.flowfabric.core.codec;
    exports io.flowfabric.core.decision;
    exports io.flowfabric.core.feed;
    exports io.flowfabric.core.flow;
    exports io.flowfabric.core.lease;
    exports io.flowfabric.core.operate;
    exports io.flowfabric.core.policy;
    exports io.flowfabric.core.query;
    exports io.flowfabric.core.schedule;
    exports io.flowfabric.core.signal;
    exports io.flowfabric.core.signing;
    exports io.flowfabric.core.state;
    exports io.flowfabric.core.store;
    exports io.flowfabric.core.stream;
    exports io.flowfabric.core.submit;

    uses io.flowfabric.core.store.StoreProvider;
}
