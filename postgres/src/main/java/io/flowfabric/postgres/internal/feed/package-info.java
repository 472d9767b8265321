/** The log of events as a stream that can be followed. */
@NullMarked
package io.flowfabric.postgres.internal.feed;

import org.jspecify.annotations.NullMarked;
