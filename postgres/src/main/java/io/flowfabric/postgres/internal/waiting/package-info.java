/** Signals: the rows are locked, the core decides, what was decided is written. */
@NullMarked
package io.flowfabric.postgres.internal.waiting;

import org.jspecify.annotations.NullMarked;
