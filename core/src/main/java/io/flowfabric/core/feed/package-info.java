/**
 * Everything that happened, as events that a reader follows from a cursor without missing one.
 *
 * <p>A {@link io.flowfabric.core.feed.FeedFilter} narrows a feed, and a cursor outlives the process
 * that read it. It knows what events tell of, and must never know how they are kept.
 */
@NullMarked
package io.flowfabric.core.feed;

import org.jspecify.annotations.NullMarked;
