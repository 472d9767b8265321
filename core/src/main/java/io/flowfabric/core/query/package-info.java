/**
 * Reading what is stored: one execution, a page of a search, counts, results, and the explanation
 * why an execution is not running.
 *
 * <p>Reads change nothing and take no locks that a worker would notice. It knows what the other
 * audiences can read about, and must never know how it is stored.
 */
@NullMarked
package io.flowfabric.core.query;

import org.jspecify.annotations.NullMarked;
