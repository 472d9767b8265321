/**
 * What every store can do, as small interfaces by audience, with the requests and results they
 * speak in.
 *
 * <p>{@link io.flowfabric.core.store.Store} hands them out. Everything is blocking, made for
 * virtual threads, and batch first: a list in, one {@link io.flowfabric.core.Answer} per item out,
 * so that one stale item never fails the others. It knows the vocabulary, the state and the policy,
 * and must never know how a store keeps its word. The rules that the words imply are the contract
 * suite of the test kit.
 */
@NullMarked
package io.flowfabric.core.contract;

import org.jspecify.annotations.NullMarked;
