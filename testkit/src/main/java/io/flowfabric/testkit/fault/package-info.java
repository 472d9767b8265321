/**
 * Faults: a store whose calls can be counted, refused, hung, or answered with a failure after they
 * were applied.
 *
 * <p>It knows the contract and nothing of any store. It must never decide what a fault ought to
 * lead to: that is what the tests which inject it say.
 */
@NullMarked
package io.flowfabric.testkit.fault;

import org.jspecify.annotations.NullMarked;
