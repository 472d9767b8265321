/**
 * How what is kept and sent is written: keyed JSON with defaults.
 *
 * <p>Every store, the server and the client use these codecs and no others, so that each reads what
 * the others wrote. A program reads what a newer one wrote: a field that it does not know is kept
 * by {@link io.flowfabric.core.codec.Json}, a field that is missing has a default. This package
 * knows the model and must never know a store.
 */
@NullMarked
package io.flowfabric.core.codec;

import org.jspecify.annotations.NullMarked;
