/**
 * What a submission asks for, and the decisions that follow from it.
 *
 * <p>{@link io.flowfabric.core.policy.Policy} is frozen at submission; every field has a method
 * here that says what it implies, as a pure function, computed beside the store and sent to it as
 * data. It knows the vocabulary and must never know a store.
 */
@NullMarked
package io.flowfabric.core.policy;

import org.jspecify.annotations.NullMarked;
