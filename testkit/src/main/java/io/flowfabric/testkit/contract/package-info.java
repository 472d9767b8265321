/**
 * The contract suite: what every store is held to, as tests whose names are the rules.
 *
 * <p>A store's own tests extend {@link io.flowfabric.testkit.contract.StoreContract} and bring a
 * {@link io.flowfabric.testkit.StoreFixture}; the rest is unchanged from store to store. It knows
 * the contract in the core and the fixture, JUnit and AssertJ. It must never know a store, how one
 * keeps its word, or any clock but the fixture's.
 */
@NullMarked
package io.flowfabric.testkit.contract;

import org.jspecify.annotations.NullMarked;
