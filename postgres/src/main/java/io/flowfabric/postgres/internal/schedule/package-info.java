/** How schedules are kept, and fired. */
@NullMarked
package io.flowfabric.postgres.internal.schedule;

import org.jspecify.annotations.NullMarked;
