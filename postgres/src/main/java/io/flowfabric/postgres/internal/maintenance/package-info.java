/** What time does: timers, take-over from the dead, retention. */
@NullMarked
package io.flowfabric.postgres.internal.maintenance;

import org.jspecify.annotations.NullMarked;
