/** Lanes, quotas and budgets: what bounds the start of work, and what was used up. */
@NullMarked
package io.flowfabric.postgres.internal.admission;

import org.jspecify.annotations.NullMarked;
