/**
 * What stores are tested with: the store in memory that is the specification, the contract suite,
 * the model-based harness, the history checker.
 *
 * <p>It knows the core, JUnit and AssertJ. It must never know another store: a store brings its
 * {@link io.flowfabric.testkit.StoreFixture} and is judged by everything in here, unchanged.
 */
@NullMarked
package io.flowfabric.testkit;

import org.jspecify.annotations.NullMarked;
