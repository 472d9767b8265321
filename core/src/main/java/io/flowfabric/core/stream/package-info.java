/**
 * What workers say while they work: frames that the holder of a lease appends to the stream of its
 * attempt, and that others read while it goes on and afterwards.
 *
 * <p>A reader begins with {@link io.flowfabric.core.stream.Streams}. It knows frames and ranges of
 * them, and must never know how they are kept.
 */
@NullMarked
package io.flowfabric.core.stream;

import org.jspecify.annotations.NullMarked;
