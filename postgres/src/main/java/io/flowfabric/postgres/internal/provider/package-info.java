/**
 * How a URL leads to the store on Postgres: found by {@link io.flowfabric.core.store.Stores} and
 * called by nobody else. It may change with every release.
 *
 * <p>It knows the entry points of this module, and nothing in this module may know it.
 */
@NullMarked
package io.flowfabric.postgres.internal.provider;

import org.jspecify.annotations.NullMarked;
